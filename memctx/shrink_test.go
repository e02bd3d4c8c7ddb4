package memctx_test

import (
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// TestTrimShrinksTails leaves something small at the beginning of large segments:
// one that was a block, and the one with the top. Then it uses the memory again.
func TestTrimShrinksTails(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		const n = 8 << 20
		o.Provider, o.Retain = segment.NewCache(segment.Heap(), 64<<20), 64<<20
		mc, counter := newCounted(t, o)
		mustAlloc(t, mc, n)
		if err := mc.Reset(); err != nil { // and now it is the top
			t.Fatal(err)
		}
		var kept []unsafe.Pointer
		for round := range 5 {
			small := mustAlloc(t, mc, 1000)
			p := mustRealloc(t, mc, mustAlloc(t, mc, 3*n), 100*round)
			fill(small, 1000, 1)
			fill(p, 100*round, byte(round))
			kept = append(kept, p)
			before := mc.Footprint()
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			mustCheck(t, mc)
			if after := mc.Footprint(); after > mc.Stats().InUse+200<<10 || before < 3*n || counter.Bytes() != after {
				t.Errorf("round %d: the footprint was %d and is %d, %d are out", round, before, after, counter.Bytes())
			}
			if !all(small, 1000, 1) {
				t.Error("the small block is not as it was")
			}
			for i, p := range kept {
				if !all(p, 100*i, byte(i)) {
					t.Errorf("round %d: block %d is not as it was", round, i)
				}
			}
			for i := range 1000 {
				fill(mustAlloc(t, mc, i), i, 0xFF)
			}
			mustCheck(t, mc)
			mc.Free(small)
			if round == 2 {
				if err := mc.Reset(); err != nil {
					t.Fatal(err)
				}
				mustCheck(t, mc)
				for i := range kept {
					kept[i] = mustAlloc(t, mc, 100*i)
					fill(kept[i], 100*i, byte(i))
				}
			}
		}
	})
}

// TestTrimThatCannotShrink has a provider that refuses, and one that knows no
// Resize: the heap must be as it was.
func TestTrimThatCannotShrink(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		const n = 4 << 20
		script := func(mc *memctx.Context) {
			mustAlloc(t, mc, 100)
			mustRealloc(t, mc, mustAlloc(t, mc, n), 100)
		}
		cache := segment.NewCache(segment.Heap(), 64<<20)
		counter := segment.Counting(cache)
		o.Provider, o.Retain = counter, 2*n // so that Realloc keeps the tail
		script(newContext(t, &o))           // to know which call is the first of Trim
		failer := segment.FailingFrom(cache, counter.Calls()+1)
		for _, c := range []struct {
			p    segment.Provider
			want error
		}{{failer, memctx.ErrNoMemory}, {segment.Heap(), nil}} {
			o.Provider = c.p
			mc := newContext(t, &o)
			script(mc)
			before := mc.Stats()
			for range 3 {
				if err := mc.Trim(); c.want != nil {
					mustFail(t, err, c.want, "Trim")
				} else if err != nil {
					t.Error(err)
				}
				mustCheck(t, mc)
			}
			if after := mc.Stats(); after != before {
				t.Errorf("after Trim %+v, before %+v", after, before)
			}
			failer.Heal()
			mc.Free(mustAlloc(t, mc, n-1<<10)) // in the chunk that could not go
			if mc.Footprint() != before.Footprint {
				t.Errorf("the footprint grew from %d to %d", before.Footprint, mc.Footprint())
			}
		}
	})
}

// TestIdleShrinksWithUse frees large blocks one by one: what the context keeps
// idle is at most 3/4 of what is still in use, or Retain.
func TestIdleShrinksWithUse(t *testing.T) {
	const block, blocks, retain = 8 << 20, 12, 2 << 20
	mc, _ := newCounted(t, memctx.Options{Retain: retain})
	var ps []unsafe.Pointer
	for range blocks {
		ps = append(ps, mustAlloc(t, mc, block))
	}
	for i, p := range ps {
		mc.Free(p)
		s := mc.Stats()
		if most := max(retain, s.InUse/4*3) + block/8; s.Free > most {
			t.Fatalf("after %d of %d frees %d bytes are in use and %d free, more than %d", i+1, blocks, s.InUse, s.Free, most)
		}
	}
	if got := mc.Footprint(); got > retain+block/8 {
		t.Errorf("footprint of the empty context: %d", got)
	}
}
