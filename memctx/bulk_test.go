package memctx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
)

var bulkSizes = []int{0, 1, 100, bins.MaxRequest, bins.MaxRequest + 1, 20_000}

// TestAllocMany makes blocks at once and frees them one by one, and the other way
// round.
func TestAllocMany(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for _, n := range bulkSizes {
			for _, count := range []int{0, 1, 2, 300} {
				ptrs := make([]unsafe.Pointer, count)
				if err := mc.AllocMany(ptrs, n); err != nil {
					t.Fatal(err)
				}
				for i, p := range ptrs {
					fill(p, n, byte(i))
				}
				for i, p := range ptrs {
					if !all(p, n, byte(i)) || mc.UsableSize(p) < n || uintptr(p)%chunk.Align != 0 {
						t.Fatalf("block %d of %d bytes is not its own", i, n)
					}
				}
				if got := mc.Stats().Blocks; got != uint(count) {
					t.Fatalf("%d blocks, want %d", got, count)
				}
				mustCheck(t, mc)
				for _, p := range ptrs {
					mc.Free(p)
				}
			}
		}
	})
}

// TestAllocManyOrNothing has a limit that some of the blocks fit into.
func TestAllocManyOrNothing(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Limit = 256 << 10
		mc, _ := newCounted(t, o)
		kept := mustAlloc(t, mc, 100)
		for _, n := range []int{100, 20_000} {
			ptrs := make([]unsafe.Pointer, 1<<20/n)
			ptrs[0] = kept // what was there does not matter
			for range 3 {
				mustFail(t, mc.AllocMany(ptrs, n), memctx.ErrLimit, "AllocMany")
				if slices.ContainsFunc(ptrs, func(p unsafe.Pointer) bool { return p != nil }) {
					t.Fatal("pointers are left")
				}
				if got := mc.Stats().Blocks; got != 1 {
					t.Fatalf("%d blocks, want 1", got)
				}
				mustCheck(t, mc)
			}
			mustFail(t, mc.AllocMany(ptrs[:1], -1), memctx.ErrSize, "AllocMany")
		}
		mc.FreeMany([]unsafe.Pointer{kept, nil})
		stale := []unsafe.Pointer{kept}
		mustFail(t, mc.AllocMany(stale, memctx.MaxRequest+1), memctx.ErrSize, "AllocMany")
		if stale[0] != nil {
			t.Error("a pointer is left")
		}
		if err := mc.Close(); err != nil {
			t.Fatal(err)
		}
		stale[0] = kept
		mustFail(t, mc.AllocMany(stale, 1), memctx.ErrClosed, "AllocMany")
		if stale[0] != nil {
			t.Error("a pointer is left after Close")
		}
		mustFault(t, mc, diag.AfterClose, "FreeMany", func() { mc.FreeMany([]unsafe.Pointer{kept}) })
		mc.FreeMany([]unsafe.Pointer{nil})
	})
}

// mixed returns blocks of all kinds in random order, in a context where some of
// them are neighbours.
func mixed(t *testing.T, mc *memctx.Context, random *rand.Rand, count int) []unsafe.Pointer {
	var ptrs []unsafe.Pointer
	for range count {
		n := bulkSizes[random.IntN(len(bulkSizes))]
		if random.IntN(4) == 0 {
			ptrs = append(ptrs, mustAligned(t, mc, n, 64))
		} else {
			ptrs = append(ptrs, mustAlloc(t, mc, n))
		}
	}
	random.Shuffle(len(ptrs), func(i, j int) { ptrs[i], ptrs[j] = ptrs[j], ptrs[i] })
	return ptrs
}

// TestAllocManyUsesWhatIsFree asks for blocks that fit into what is free once all of
// it is in one piece. At first a small cached chunk lies between, and none of the two
// pieces has a use for its rest.
func TestAllocManyUsesWhatIsFree(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		mustAlloc(t, mc, 64_000)
		if err := mc.Reset(); err != nil {
			t.Fatal(err)
		}
		mc.SetLimit(1)
		before, between := mustAlloc(t, mc, 31_000), mustAlloc(t, mc, 100)
		mc.Free(before)
		mc.Free(between)
		for range 3 {
			ptrs := make([]unsafe.Pointer, 3)
			if err := mc.AllocMany(ptrs, 20_000); err != nil {
				t.Fatalf("%v: %+v", err, mc.Stats())
			}
			mustCheck(t, mc)
			mc.FreeMany(ptrs)
		}
	})
}

// TestFreeMany frees random parts of a heap at a time.
func TestFreeMany(t *testing.T) {
	seed := segtest.Seed(t)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		random := rand.New(rand.NewPCG(seed, 1))
		mc, _ := newCounted(t, o)
		for range 20 {
			ptrs := mixed(t, mc, random, 100)
			if s := mc.Stats(); s.Blocks != 100 {
				t.Fatalf("%d blocks", s.Blocks)
			}
			for len(ptrs) > 0 {
				k := 1 + random.IntN(len(ptrs))
				some := append(slices.Clone(ptrs[:k]), nil)
				mc.FreeMany(some)
				if slices.ContainsFunc(some, func(p unsafe.Pointer) bool { return p != nil }) {
					t.Fatal("pointers are left")
				}
				ptrs = ptrs[k:]
				if s := mc.Stats(); s.Blocks != uint(len(ptrs)) {
					t.Fatalf("%d blocks, want %d", s.Blocks, len(ptrs))
				}
				mustCheck(t, mc)
			}
		}
	})
}

// TestManyKeepsTheOrder frees blocks of one class, and of several in turns, in random
// order, and requires that those of a class come back in it.
func TestManyKeepsTheOrder(t *testing.T) {
	seed := segtest.Seed(t)
	for _, sizes := range [][]int{{64}, {64, 500}, {4000, 64, 500}} {
		random := rand.New(rand.NewPCG(seed, 4))
		mc := newRoomy(t, memctx.Options{})
		ptrs := make([]unsafe.Pointer, 300)
		size := map[unsafe.Pointer]int{}
		for i := range ptrs {
			n := sizes[i%len(sizes)]
			ptrs[i] = mustAlloc(t, mc, n)
			size[ptrs[i]] = n
		}
		random.Shuffle(len(ptrs), func(i, j int) { ptrs[i], ptrs[j] = ptrs[j], ptrs[i] })
		want := map[int][]unsafe.Pointer{}
		for _, p := range ptrs {
			want[size[p]] = append(want[size[p]], p)
		}
		mc.FreeMany(ptrs)
		mustCheck(t, mc)
		for n, class := range want {
			again := make([]unsafe.Pointer, len(class))
			if err := mc.AllocMany(again, n); err != nil || !slices.Equal(again, class) {
				t.Errorf("%d blocks of %d bytes come back in another order: %v", len(class), n, err)
			}
		}
		mustCheck(t, mc)
	}
}

// TestFreeManyJoins frees large neighbours at once: one free chunk comes of it,
// and a double free is still known.
func TestFreeManyJoins(t *testing.T) {
	for _, o := range []memctx.Options{{}, {ExactSize: true}, {Guard: true}} {
		mc := newRoomy(t, o)
		mustAlloc(t, mc, 1)
		var ptrs []unsafe.Pointer
		for range 10 {
			ptrs = append(ptrs, mustAlloc(t, mc, 20_000))
		}
		mustAlloc(t, mc, 20_000)
		before := mc.Stats()
		mc.FreeMany(slices.Clone(ptrs))
		after := mc.Stats()
		if after.LargestFree < 200_000 || after.Free-before.Free != before.InUse-after.InUse || after.Frees-before.Frees != 10 {
			t.Errorf("%+v\nand then %+v", before, after)
		}
		mustCheck(t, mc)
		for _, p := range ptrs {
			mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(p) })
		}
	}
}

// TestFreeManyWrongly has one wrong pointer among many. No block may be freed
// then.
func TestFreeManyWrongly(t *testing.T) {
	seed := segtest.Seed(t)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		random := rand.New(rand.NewPCG(seed, 2))
		mc, _ := newCounted(t, o)
		other, _ := newCounted(t, o)
		foreign := mustAlloc(t, other, bins.MaxRequest+1)
		small := mustAlloc(t, other, 100) // has a tag on 64-bit systems
		freed := mustAlloc(t, mc, 100)
		mc.Free(freed)
		ptrs := mixed(t, mc, random, 50)
		for _, c := range []struct {
			name string
			p    unsafe.Pointer
			kind diag.Kind
		}{
			{"foreign", foreign, diag.Foreign},
			{"small foreign", small, diag.Foreign},
			{"twice", ptrs[random.IntN(len(ptrs))], diag.DoubleFree},
			{"freed before", freed, diag.DoubleFree},
			{"misaligned", unsafe.Add(ptrs[0], 1), diag.Misaligned},
		} {
			if c.p == small && raw.Word == 4 && o == (memctx.Options{Tree: o.Tree}) {
				continue
			}
			bad := slices.Insert(slices.Clone(ptrs), random.IntN(len(ptrs)), c.p, nil)
			before := mc.Stats()
			f := mustFault(t, mc, c.kind, "FreeMany", func() { mc.FreeMany(bad) })
			if f.Addr != uintptr(c.p) {
				t.Errorf("%s: the fault tells %#x, not %p", c.name, f.Addr, c.p)
			}
			if after := mc.Stats(); after != before {
				t.Errorf("%s: %+v\nand then %+v", c.name, before, after)
			}
			if len(bad) != len(ptrs)+2 || slices.Index(bad, c.p) < 0 {
				t.Errorf("%s: the list has changed", c.name)
			}
			mustCheck(t, mc)
		}
		if o.Guard {
			repair := wreck(ptrs[7], -1, 0x41)
			before := mc.Stats()
			mustFault(t, mc, diag.GuardBefore, "FreeMany", func() { mc.FreeMany(slices.Clone(ptrs)) })
			if repair(); mc.Stats() != before {
				t.Error("blocks were freed beside one with a broken guard")
			}
		}
		mc.FreeMany(ptrs)
	})
}

// TestBulkEvents requires one event for each block.
func TestBulkEvents(t *testing.T) {
	r := &recorder{}
	mc, _ := newCounted(t, memctx.Options{Observer: r})
	ptrs := make([]unsafe.Pointer, 5)
	if err := mc.AllocMany(ptrs, 10_000); err != nil {
		t.Fatal(err)
	}
	live := map[uintptr]bool{}
	for _, e := range r.take() {
		if e.Kind == diag.EventAlloc && e.Op == "AllocMany" && e.N == 10_000 {
			live[e.Addr] = true
		}
	}
	if len(live) != 5 {
		t.Errorf("%d events", len(live))
	}
	mc.FreeMany(ptrs)
	for _, e := range r.take() {
		if e.Kind == diag.EventFree && e.Op == "FreeMany" && live[e.Addr] && e.Size > 10_000 {
			delete(live, e.Addr)
		}
	}
	if len(live) != 0 {
		t.Errorf("no event for %d blocks", len(live))
	}
}

// Blocks that are made and dropped together cost one call each way.
func ExampleContext_AllocMany() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		nodes := make([]unsafe.Pointer, 1000)
		if err := mc.AllocMany(nodes, 48); err != nil {
			return err // none was allocated
		}
		fmt.Println(mc.Stats().Blocks, "blocks")
		mc.FreeMany(nodes)
		fmt.Println(mc.Stats().Blocks, "blocks")
		return nil
	})
	fmt.Println(err)
	// Output:
	// 1000 blocks
	// 0 blocks
	// <nil>
}
