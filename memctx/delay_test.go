package memctx_test

import (
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// ledger is an observer that knows the live blocks.
type ledger map[uintptr]bool

func (l ledger) Observe(e diag.Event) {
	switch e.Kind {
	case diag.EventAlloc:
		l[e.Addr] = true
	case diag.EventFree:
		delete(l, e.Addr)
	}
}

// TestFreeFindsAnothersFault writes to freed blocks, which the Free of another block
// finds that takes their place in the line. That one has not been freed then.
func TestFreeFindsAnothersFault(t *testing.T) {
	for name, free := range map[string]func(mc *memctx.Context, blocks []unsafe.Pointer){
		"Free":      func(mc *memctx.Context, blocks []unsafe.Pointer) { mc.Free(blocks[0]) },
		"FreeSized": func(mc *memctx.Context, blocks []unsafe.Pointer) { mc.FreeSized(blocks[0], 10, 0) },
		"FreeMany":  func(mc *memctx.Context, blocks []unsafe.Pointer) { mc.FreeMany(blocks) },
	} {
		live := ledger{}
		mc := newContext(t, &memctx.Options{Checked: true, Observer: live, Provider: segment.Heap()})
		var blocks []unsafe.Pointer
		for range 4000 {
			blocks = append(blocks, mustAlloc(t, mc, 10))
		}
		const stale = 20
		for _, p := range blocks[:stale] {
			mc.Free(p)
			*(*byte)(p) = 1
		}
		faults := 0
		for blocks = blocks[stale:]; len(blocks) > 0; {
			n := 1
			if name == "FreeMany" {
				n = 500
			}
			some := blocks[:min(n, len(blocks))]
			before, kept := mc.Stats().Blocks, some[0]
			f := faultOf(func() { free(mc, some) })
			if want := before - uint(len(some)); f == nil && mc.Stats().Blocks != want {
				t.Fatalf("%s: %d blocks are live, want %d", name, mc.Stats().Blocks, want)
			}
			if f == nil {
				blocks = blocks[len(some):]
				continue
			}
			faults++
			if f.Kind != diag.UseAfterFree || f.Op != name || mc.Stats().Blocks != before || len(live) != int(before) || some[0] != kept {
				t.Fatalf("%s: %v; %d blocks are live, %d by what the observer knows, want %d", name, f, mc.Stats().Blocks, len(live), before)
			}
		}
		if faults != stale || len(live) != 0 {
			t.Errorf("%s: %d faults of %d, the observer knows %d live blocks", name, faults, stale, len(live))
		}
		mustCheck(t, mc)
	}
}

// TestReallocFindsAnothersFault is the same for a block that moves: where it was, it is
// still, and there is no other one.
func TestReallocFindsAnothersFault(t *testing.T) {
	mc := newContext(t, &memctx.Options{Checked: true, Provider: segment.Heap()})
	moving, pin := mustAlloc(t, mc, 10), mustAlloc(t, mc, 10)
	fill(moving, 10, 7)
	var blocks []unsafe.Pointer
	for range 1024 {
		blocks = append(blocks, mustAlloc(t, mc, 10))
	}
	for _, p := range blocks { // as many as may wait
		mc.Free(p)
	}
	*(*byte)(blocks[0]) = 1
	mustFault(t, mc, diag.UseAfterFree, "Realloc", func() { _, _ = mc.Realloc(moving, 5000) })
	if n := mc.Stats().Blocks; n != 2 || !all(moving, 10, 7) {
		t.Errorf("%d blocks are live, want 2", n)
	}
	if moving = mustRealloc(t, mc, moving, 5000); !all(moving, 10, 7) {
		t.Error("what was in the block is lost")
	}
	mc.Free(moving)
	mc.Free(pin)
	mustCheck(t, mc)
}

// TestLargeBlocksDoNotWait frees a block that is larger than all that may wait.
func TestLargeBlocksDoNotWait(t *testing.T) {
	mc, _ := newCounted(t, memctx.Options{Checked: true})
	small, large := mustAlloc(t, mc, 10), mustAlloc(t, mc, 3<<20)
	mc.Free(small)
	mc.Free(large)
	if s := mc.Stats(); s.Cached != 0 {
		t.Errorf("%d bytes wait", s.Cached)
	}
	mustCheck(t, mc)
}
