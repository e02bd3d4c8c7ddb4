package memctx_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// TestCase17_GoneMemory hands pointers back whose memory is no longer there: what reads
// it ends the process. Those to memory that never was the context's are as good.
func TestCase17_GoneMemory(t *testing.T) {
	calls := map[string]func(*memctx.Context, unsafe.Pointer){
		"Free":       func(mc *memctx.Context, p unsafe.Pointer) { mc.Free(p) },
		"FreeSized":  func(mc *memctx.Context, p unsafe.Pointer) { mc.FreeSized(p, 1, 0) },
		"FreeBytes":  func(mc *memctx.Context, p unsafe.Pointer) { mc.FreeBytes(unsafe.Slice((*byte)(p), 1)) },
		"FreeMany":   func(mc *memctx.Context, p unsafe.Pointer) { mc.FreeMany([]unsafe.Pointer{p}) },
		"UsableSize": func(mc *memctx.Context, p unsafe.Pointer) { mc.UsableSize(p) },
		"Realloc":    func(mc *memctx.Context, p unsafe.Pointer) { mc.Realloc(p, 100) },
		"TryResize":  func(mc *memctx.Context, p unsafe.Pointer) { mc.TryResize(p, 100) },
	}
	const large = 8 << 20
	ways := map[string]struct {
		kind diag.Kind
		lose func(*memctx.Context) unsafe.Pointer
	}{
		"freed": {diag.DoubleFree, func(mc *memctx.Context) unsafe.Pointer {
			p := mustAlloc(t, mc, large)
			mc.Free(p)
			return p
		}},
		"freed between others": {diag.DoubleFree, func(mc *memctx.Context) unsafe.Pointer {
			p := mustAlloc(t, mc, large)
			for range 3 {
				mustAlloc(t, mc, large)
				mustAlloc(t, mc, 100)
			}
			mc.Free(p)
			if err := mc.Trim(); err != nil { // it was kept for the next
				t.Fatal(err)
			}
			return p
		}},
		"moved": {diag.DoubleFree, func(mc *memctx.Context) unsafe.Pointer {
			p := mustAlloc(t, mc, large)
			mustAlloc(t, mc, large)
			q, err := mc.Realloc(p, 4*large)
			if err != nil || q == p {
				t.Fatalf("moved from %p to %p: %v", p, q, err)
			}
			return p
		}},
		"small, trimmed": {diag.DoubleFree, func(mc *memctx.Context) unsafe.Pointer {
			blocks := make([]unsafe.Pointer, 2000)
			for i := range blocks {
				blocks[i] = mustAlloc(t, mc, 1000)
			}
			mc.FreeMany(slices.Clone(blocks))
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			return blocks[len(blocks)/2]
		}},
		"reset": {diag.DoubleFree, func(mc *memctx.Context) unsafe.Pointer {
			p := mustAlloc(t, mc, large)
			if err := mc.Reset(); err != nil {
				t.Fatal(err)
			}
			return p
		}},
		"never there": {diag.Foreign, func(mc *memctx.Context) unsafe.Pointer {
			mustAlloc(t, mc, 100)
			return memctx.Addr(4096).Pointer()
		}},
		"of a context that is closed": {diag.Foreign, func(*memctx.Context) unsafe.Pointer {
			other := newContext(t, &memctx.Options{Provider: segment.OS()})
			p := mustAlloc(t, other, 100)
			if err := other.Close(); err != nil {
				t.Fatal(err)
			}
			return p
		}},
	}
	for way, w := range ways {
		for op, call := range calls {
			t.Run(way+"/"+op, func(t *testing.T) {
				mc := newContext(t, &memctx.Options{Provider: segment.OS()})
				mustAlloc(t, mc, 100)
				p := w.lose(mc)
				if mc.Contains(p) {
					t.Fatal("the memory is still there")
				}
				mustFault(t, mc, w.kind, op, func() { call(mc, p) })
				if err := mc.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
