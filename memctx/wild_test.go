package memctx

import (
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// What is left of the heap when its own words were overwritten must not lead those
// astray who only look: an address is not read before it is known to be in a segment.

// newWildVictim returns a victim in pages of the system, beside which nothing is mapped.
func newWildVictim(t *testing.T, kind tree.Kind) *victim {
	t.Helper()
	mc, err := New(&Options{Tree: kind, Name: "victim", Provider: segment.OS(), Retain: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{mc: mc}
	v.build(t)
	return v
}

// wildWords are values for a word that should be a link or a head.
func (v *victim) wildWords() []uintptr {
	words := []uintptr{0, 1, 16, 4096, 4096 + 16, ^uintptr(0), ^uintptr(15), ^uintptr(0) / 2 &^ 15, 0xA5A5A5A5}
	for _, r := range v.mc.segments.sorted {
		base, end := uintptr(r.base()), uintptr(r.base())+uintptr(r.Size)
		words = append(words, base-4096, base-16, base, base+16, end-64, end-16, end, end+16, uintptr(r.end), uintptr(r.end)+chunk.Header)
	}
	for _, b := range []raw.Addr{v.plain, v.cached, v.treed, v.ringed, v.small, v.twin, v.idle, v.large} {
		words = append(words, uintptr(b), uintptr(b)+chunk.Align)
	}
	return words
}

// mustNotCrash calls f, which may raise a fault but no other panic, a memory fault
// for instance. It returns the fault, or nil.
func mustNotCrash(t *testing.T, what string, f func()) (fault *diag.Fault) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			var ok bool
			if fault, ok = r.(*diag.Fault); !ok {
				t.Errorf("%s: %v", what, r)
			}
		}
	}()
	f()
	return nil
}

// TestWriteAfterFree overwrites the link in a freed block with what is no block of the
// context. Calls that are not short raise a fault instead of following it, and the heap
// can be used. (The short way of Alloc follows it: see docs/DESIGN.md.)
func TestWriteAfterFree(t *testing.T) {
	debug.SetPanicOnFault(true) // of this goroutine; without, the process would end
	for name, call := range map[string]func(mc *Context, n int){
		"AllocMany":          func(mc *Context, n int) { mc.AllocMany(make([]unsafe.Pointer, 3), n) },
		"Alloc when noticed": func(mc *Context, n int) { mc.allocChecked("Alloc", n) },
		"Trim":               func(mc *Context, n int) { mc.Trim() },
	} {
		for _, wild := range []uintptr{2, 42, 4096, 8 << 20, ^uintptr(0), ^uintptr(15), ^uintptr(0) / 2 &^ 15, 0xA5A5A5A5} {
			v := newWildVictim(t, tree.RB)
			n := int(v.head(v.cached).Size() - chunk.Header)
			raw.Store(v.cached, wild)
			fault := (*diag.Fault)(nil)
			for range 2 { // the first may be given the block
				if fault = mustNotCrash(t, name, func() { call(v.mc, n) }); fault != nil {
					break
				}
			}
			if fault == nil || fault.Kind != diag.Corrupt {
				t.Errorf("%s with a link of %#x: %v", name, wild, fault)
			}
			for range 10 {
				if _, err := v.mc.Alloc(n); err != nil {
					t.Fatal(err)
				}
			}
			if err := v.mc.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestCheckFollowsNoWildLinks(t *testing.T) {
	debug.SetPanicOnFault(true) // of this goroutine; without, the process would end
	for _, kind := range tree.Kinds() {
		v := newWildVictim(t, kind)
		for name, b := range map[string]raw.Addr{
			"cached": v.cached, "small": v.small, "twin": v.twin, "treed": v.treed, "ringed": v.ringed, "idle": v.idle,
		} {
			words := raw.Addr(tree.NodeSize / raw.Word)
			switch name {
			case "cached":
				words = 1
			case "small", "twin":
				words = 2
			}
			for w := range words {
				at := b + w*raw.Word
				was := raw.Load(at)
				for _, wild := range v.wildWords() {
					raw.Store(at, wild)
					mustNotCrash(t, fmt.Sprintf("%v: word %d of %s is %#x", kind, w, name, wild), func() { _ = v.mc.Check() })
				}
				raw.Store(at, was)
			}
		}
		if err := v.mc.Check(); err != nil {
			t.Fatal(err)
		}
		if err := v.mc.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWildHeads overwrites heads with what decodes to every state and many sizes,
// and calls what only looks.
func TestWildHeads(t *testing.T) {
	debug.SetPanicOnFault(true)
	v := newWildVictim(t, tree.RB)
	mc := v.mc
	for name, b := range map[string]raw.Addr{
		"plain": v.plain, "behind": v.behind, "large": v.large, "retired": v.retired, "cached": v.cached, "treed": v.treed, "aligned": v.aligned,
	} {
		at := chunk.OfBlock(b)
		was := raw.Load(at)
		for _, size := range []uintptr{0, chunk.Align, chunk.Min, 1 << 10, 1 << 20, 16 << 20, 1 << 30, chunk.Limit - chunk.Align} {
			for flags := range chunk.Head(8) {
				chunk.Write(at, mc.tag, chunk.Make(size, flags))
				what := fmt.Sprintf("the head of %s is %v", name, chunk.Read(at, mc.tag))
				mustNotCrash(t, what+": Check", func() { _ = mc.Check() })
				mustNotCrash(t, what+": Blocks", func() {
					for range mc.Blocks() {
					}
				})
				mustNotCrash(t, what+": Leaks", func() { _ = mc.Leaks() })
				for _, other := range []raw.Addr{v.plain, v.behind, v.large, v.retired, v.aligned} {
					mustNotCrash(t, what+": UsableSize", func() { _ = mc.UsableSize(other.Pointer()) })
				}
			}
		}
		raw.Store(at, was)
	}
	if err := mc.Check(); err != nil {
		t.Fatal(err)
	}
	if err := mc.Close(); err != nil {
		t.Error(err)
	}
}

// TestWildNeighbours overwrites the head behind a large block, and the foot before
// it: Free notices it, and the heap is as it was.
func TestWildNeighbours(t *testing.T) {
	debug.SetPanicOnFault(true)
	mc, err := New(&Options{Provider: segment.OS()})
	if err != nil {
		t.Fatal(err)
	}
	const n = bins.MaxRequest + 1000
	var blocks [7]raw.Addr
	for i := range blocks {
		p, err := mc.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		blocks[i] = raw.AddrOf(p)
	}
	mc.Free(blocks[1].Pointer())
	mc.Free(blocks[5].Pointer())
	foot := chunk.OfBlock(blocks[2]) - raw.Word
	behind := chunk.OfBlock(blocks[5])
	for _, c := range []struct {
		name  string
		at    raw.Addr
		block raw.Addr
	}{{"foot", foot, blocks[2]}, {"head", behind, blocks[4]}, {"head of a free chunk before", chunk.OfBlock(blocks[1]), blocks[2]},
		{"foot of a free chunk behind", chunk.OfBlock(blocks[6]) - raw.Word, blocks[4]}} {
		was := raw.Load(c.at)
		for _, wild := range []uintptr{0, 1, 8, 16, 32, 4096, 8192, 1 << 20, 1 << 30, ^uintptr(0), ^uintptr(15), was + 16, was - 16, 0xA5A5A5A5} {
			for _, f := range map[string]func(){
				"Free":     func() { mc.Free(c.block.Pointer()) },
				"FreeMany": func() { mc.FreeMany([]unsafe.Pointer{c.block.Pointer()}) },
			} {
				raw.Store(c.at, wild)
				faulted := false
				mustNotCrash(t, fmt.Sprintf("%s is %#x", c.name, wild), func() {
					faulted = true
					f()
					faulted = false
				})
				if !faulted {
					t.Fatalf("%s is %#x: Free noticed nothing", c.name, wild)
				}
				raw.Store(c.at, was)
				if err := mc.Check(); err != nil {
					t.Fatalf("%s was %#x: %v", c.name, wild, err)
				}
			}
		}
	}
	for _, i := range []int{0, 2, 4, 3, 6} {
		mc.Free(blocks[i].Pointer())
	}
	if err := mc.Check(); err != nil {
		t.Error(err)
	}
	if err := mc.Close(); err != nil {
		t.Error(err)
	}
}
