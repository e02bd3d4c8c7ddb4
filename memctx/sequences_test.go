package memctx_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/memctx"
)

// permutations calls f with every order of the numbers below n.
func permutations(n int, f func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
}

// families are five sizes each, for blocks that are neighbours: what is freed
// goes to quick lists, bins, the tree, the top, or to several of them.
var families = [][5]int{
	{0, 1, 24, 25, 40},             // runs and quick lists
	{100, 600, 100, 600, 100},      // small bins after a flush
	{1000, 2000, 3000, 1000, 8000}, // the tree after a flush
	{9000, 9000, 9000, 9000, 9000}, // coalesced at once
	{bins.MaxRequest, 9000, 10, 20_000, bins.MaxRequest + 1},
	{9000, 10, 9000, 10, 9000},        // cached chunks between free ones
	{100_000, 0, 9000, 1000, 300_000}, // everything
}

// TestEveryOrderOfFiveFrees frees five neighbours in every order, with and
// without a block between them and the top, and with a Trim in every place. The
// heap is checked after each step, and at the end all must be one piece again.
func TestEveryOrderOfFiveFrees(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		for _, sizes := range families {
			for _, pinned := range []bool{false, true} {
				permutations(len(sizes), func(order []int) {
					for trim := -1; trim < len(sizes); trim += 2 {
						freeInOrder(t, mc, sizes, order, pinned, trim)
					}
				})
			}
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			// Trim gave the empty segment back.
			if err := refilled(mc); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// refilled takes a segment like the one that newRoomy made.
func refilled(mc *memctx.Context) error {
	if mc.Footprint() != 0 {
		return fmt.Errorf("footprint %d after all was freed", mc.Footprint())
	}
	if _, err := mc.Alloc(32 << 20); err != nil {
		return err
	}
	if err := mc.Reset(); err != nil {
		return err
	}
	if got := mc.Stats().LargestFree; got < 32<<20 {
		return fmt.Errorf("the largest free chunk is %d", got)
	}
	return nil
}

// freeInOrder allocates neighbours of the given sizes and frees them in the
// given order; after step trim the context is trimmed.
func freeInOrder(t *testing.T, mc *memctx.Context, sizes [5]int, order []int, pinned bool, trim int) {
	t.Helper()
	var blocks [5]unsafe.Pointer
	for i, n := range sizes {
		blocks[i] = mustAlloc(t, mc, n)
	}
	var pin unsafe.Pointer
	if pinned {
		pin = mustAlloc(t, mc, 30)
	}
	for step, i := range order {
		mc.Free(blocks[i])
		if step == trim && step < len(order)-1 {
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
		}
		if err := mc.Check(); err != nil {
			t.Fatalf("sizes %v freed in the order %v, trimmed after %d, pinned %t: at step %d: %v", sizes, order, trim, pinned, step, err)
		}
	}
	mc.Free(pin)
}

// boundaries are sizes at which something changes.
var boundaries = []int{
	0, 1, 23, 24, 25, 88, 89, 488, 489, 504, 505, 1000, 1001, bins.MaxRequest - 1, bins.MaxRequest, bins.MaxRequest + 1,
	8193, 16 << 10, 65_536, 100_000,
}

// TestEveryPairOfSizes resizes a block from every boundary to every other, with
// a neighbour that is in use, free, cached, or the top.
func TestEveryPairOfSizes(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		for _, from := range boundaries {
			for _, to := range boundaries {
				for neighbour := range 4 {
					resizeBesides(t, mc, from, to, neighbour)
				}
			}
		}
	})
}

// resizeBesides resizes a block beside one of four kinds of neighbours: 0 is the
// top, 1 in use, 2 cached or free, 3 free.
func resizeBesides(t *testing.T, mc *memctx.Context, from, to, neighbour int) {
	t.Helper()
	p := mustAlloc(t, mc, from)
	var behind, pin unsafe.Pointer
	if neighbour > 0 {
		behind, pin = mustAlloc(t, mc, 5000), mustAlloc(t, mc, 10)
	}
	if neighbour > 1 {
		mc.Free(behind)
		behind = nil
	}
	if neighbour == 3 {
		if err := mc.Trim(); err != nil {
			t.Fatal(err)
		}
	}
	fill(p, from, 0x69)
	p = mustRealloc(t, mc, p, to)
	if err := mc.Check(); err != nil || !all(p, min(from, to), 0x69) {
		t.Fatalf("from %d to %d beside neighbour %d: %v", from, to, neighbour, err)
	}
	fill(p, to, 0x96)
	mc.Free(p)
	mc.Free(behind)
	mc.Free(pin)
	mustCheck(t, mc)
}
