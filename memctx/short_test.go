package memctx

import (
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// TestResizedBlocksStayShort resizes blocks in place, in every way there is, and sees
// that Free takes them back on its short way afterwards.
func TestResizedBlocksStayShort(t *testing.T) {
	if !chunk.HasClasses {
		t.Skip("heads have no room for a class")
	}
	alloc := func(t *testing.T, mc *Context, n int) unsafe.Pointer {
		t.Helper()
		p, err := mc.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		from, to int
		prepare  func(t *testing.T, mc *Context)
	}{
		"into the top": {100, 1000, func(*testing.T, *Context) {}},
		"into a free chunk": {100, 1000, func(t *testing.T, mc *Context) {
			free := alloc(t, mc, 9_000)
			alloc(t, mc, 100)
			mc.Free(free)
		}},
		"cut off": {5000, 1000, func(t *testing.T, mc *Context) { alloc(t, mc, 100) }},
	} {
		t.Run(name, func(t *testing.T) {
			mc, err := New(&Options{Provider: segment.Heap()})
			if err != nil {
				t.Fatal(err)
			}
			p := alloc(t, mc, c.from)
			c.prepare(t, mc)
			if !mc.TryResize(p, c.to) {
				t.Fatalf("a block of %d bytes cannot have %d", c.from, c.to)
			}
			if got, want := mc.shortSize(raw.AddrOf(p)), plainSize(uintptr(c.to)); got != want {
				t.Errorf("the short way sees a chunk of %d bytes, not %d", got, want)
			}
			if got := mc.UsableSize(p); got < c.to {
				t.Errorf("%d bytes are usable of %d", got, c.to)
			}
			mc.Free(p)
			if err := mc.Check(); err != nil {
				t.Error(err)
			}
			if err := mc.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGrowthInStepsUsesLists lets a block grow like one that is appended to, often. From
// some round on every step takes its block from a list.
func TestGrowthInStepsUsesLists(t *testing.T) {
	mc, err := New(&Options{Provider: segment.Heap()})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		growInSteps(mc)
	}
	footprint, stats := mc.Footprint(), mc.Stats()
	for range 1000 {
		growInSteps(mc)
	}
	if after := mc.Stats(); chunk.HasClasses && after.Cached != stats.Cached || mc.Footprint() != footprint {
		t.Errorf("a thousand rounds: %d bytes cached, were %d; footprint %d, was %d",
			after.Cached, stats.Cached, mc.Footprint(), footprint)
	}
	if err := mc.Close(); err != nil {
		t.Error(err)
	}
}

// TestShortCopies moves a block by the short way and looks at its bytes, up to the
// last one that was usable.
func TestShortCopies(t *testing.T) {
	mc, err := New(&Options{Provider: segment.Heap()})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 3000; n += 37 {
		ready, _ := mc.Alloc(2 * n)
		p, err := mc.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		b := unsafe.Slice((*byte)(p), mc.UsableSize(p))
		for i := range b {
			b[i] = byte(i * n)
		}
		mc.Free(ready)
		q, err := mc.Realloc(p, 2*n)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range unsafe.Slice((*byte)(q), min(len(b), 2*n)) {
			if got != byte(i*n) {
				t.Fatalf("byte %d of %d is %d after a move", i, n, got)
			}
		}
		mc.Free(q)
	}
	if err := mc.Close(); err != nil {
		t.Error(err)
	}
}
