package segment_test

import (
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// TestConform runs one suite over every source and the decorators over them.
func TestConform(t *testing.T) {
	const size = 4 << 20
	heap := segment.Heap()
	_, pages := segment.OS().(segment.Joiner)
	for _, c := range []struct {
		name   string
		p      segment.Provider
		traits segtest.Traits
	}{
		{"os", segment.OS(), segtest.Traits{Joins: pages}},
		{"heap", heap, segtest.Traits{}},
		{"fixed", segment.Fixed(make([]byte, size)), segtest.Traits{Single: true, Limit: size - 16}},
		{"counting over os", segment.Counting(segment.OS()), segtest.Traits{Joins: pages}},
		{"counting over fixed", segment.Counting(segment.Fixed(make([]byte, size))), segtest.Traits{Single: true, Limit: size - 16}},
		{"failing never", segment.Failing(segment.OS(), 0), segtest.Traits{Joins: pages}},
		{"default", segment.Default(), segtest.Traits{Joins: true}},
		{"cache over os", segment.NewCache(segment.OS(), 64<<20), segtest.Traits{Joins: true}},
		{"cache over heap", segment.NewCache(heap, 64<<20), segtest.Traits{Joins: true}},
		{"cache that keeps nothing", segment.NewCache(segment.OS(), 0), segtest.Traits{Joins: true}},
		{"cache that keeps little", segment.NewCache(segment.OS(), 100_000), segtest.Traits{Joins: true}},
		{"cache over cache", segment.NewCache(segment.NewCache(heap, 1<<20), 1<<20), segtest.Traits{Joins: true}},
		{"cache over fixed", segment.NewCache(segment.Fixed(make([]byte, size)), size), segtest.Traits{Single: true, Limit: size / 2, Joins: true}},
		{"dirty", segtest.Dirty(heap), segtest.Traits{}},
		{"cache over dirty", segment.NewCache(segtest.Dirty(heap), 64<<20), segtest.Traits{Joins: true}},
		{"generous", segtest.Generous(heap, 12345), segtest.Traits{Untold: true}},
		{"cache over generous", segment.NewCache(segtest.Generous(heap, 12345), 64<<20), segtest.Traits{Joins: true}},
		{"restless", segtest.NewRestless(heap, 4096), segtest.Traits{}},
		{"cache over restless", segment.NewCache(segtest.NewRestless(heap, 64<<10), 64<<20), segtest.Traits{Joins: true}},
		{"budget over cache over restless", segment.NewBudget("b", segment.NewCache(segtest.NewRestless(heap, 64), 64<<20), 64<<20), segtest.Traits{Joins: true}},
		{"chain of fixed and restless", segment.Chain(segment.Fixed(make([]byte, size)), segtest.NewRestless(heap, 64)), segtest.Traits{}},
		{"rigid", segtest.Rigid(segment.OS()), segtest.Traits{Joins: pages}},
		{"stingy", segtest.Stingy(segment.OS()), segtest.Traits{Joins: pages}},
		{"cache over stingy", segment.NewCache(segtest.Stingy(segment.OS()), 64<<20), segtest.Traits{Joins: true}},
		{"reserving", segtest.Reserving(), segtest.Traits{}},
		{"cache over reserving", segment.NewCache(segtest.Reserving(), 64<<20), segtest.Traits{Joins: true}},
		{"strip", segtest.NewStrip(64<<20, 4096), segtest.Traits{Joins: true}},
		{"cache over strip", segment.NewCache(segtest.NewStrip(128<<20, 16<<10), 64<<20), segtest.Traits{Joins: true}},
		{"chain of null and strip", segment.Chain(segment.Null(), segtest.NewStrip(64<<20, 4096)), segtest.Traits{Joins: true}},
		{"chain of fixed and os", segment.Chain(segment.Fixed(make([]byte, size)), segment.OS()), segtest.Traits{}},
		{"chain of null and heap", segment.Chain(segment.Null(), heap), segtest.Traits{}},
		{"chain of fixed and reserving", segment.Chain(segment.Fixed(make([]byte, 300_000)), segtest.Reserving()), segtest.Traits{}},
		{"cache over chain", segment.NewCache(segment.Chain(segment.Fixed(make([]byte, size)), segtest.Reserving()), 64<<20), segtest.Traits{Joins: true}},
		{"budget over os", segment.NewBudget("b", segment.OS(), 64<<20), segtest.Traits{Joins: pages}},
		{"budget over cache", segment.NewBudget("b", segment.NewCache(segment.OS(), 64<<20), 64<<20), segtest.Traits{Joins: true}},
		{"cache over budget", segment.NewCache(segment.NewBudget("b", segment.OS(), 96<<20), 64<<20), segtest.Traits{Joins: true}},
		{"budget over generous", segment.NewBudget("b", segtest.Generous(heap, 12345), 64<<20), segtest.Traits{Limit: 32 << 20, Untold: true}},
		{"budget over fixed", segment.NewBudget("b", segment.Fixed(make([]byte, size)), size/2), segtest.Traits{Single: true, Limit: size / 2}},
		{"budget in a budget over reserving", segment.NewBudget("b", segtest.Reserving(), 96<<20).Child("c", 64<<20), segtest.Traits{}},
		{"chain of budgets", segment.Chain(segment.NewBudget("b", segment.OS(), 1<<20), segment.NewBudget("c", heap, 96<<20)), segtest.Traits{Joins: pages}},
		{"huge", segment.Huge(segment.OS()), segtest.Traits{Joins: pages}},
		{"cache over huge", segment.NewCache(segment.Huge(segment.OS()), 64<<20), segtest.Traits{Joins: true}},
		{"huge over reserving", segment.Huge(segtest.Reserving()), segtest.Traits{}},
		{"counting over cache over reserving", segment.Counting(segment.NewCache(segtest.Reserving(), 0)), segtest.Traits{Joins: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			segtest.Conform(t, c.p, c.traits)
			if cache, ok := c.p.(*segment.Cache); ok {
				mustCheck(t, cache)
			}
			if b, ok := c.p.(*segment.Budget); ok && (b.Used() != 0 || b.Peak() > b.Limit()) {
				t.Errorf("%d bytes used, peak %d of %d", b.Used(), b.Peak(), b.Limit())
			}
		})
	}
}

func mustCheck(t testing.TB, c *segment.Cache) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestCase24_PageSizes(t *testing.T) {
	for _, page := range []int{4 << 10, 16 << 10, 64 << 10} {
		for name, p := range map[string]segment.Provider{
			"strip":  segtest.NewStrip(64<<20, page),
			"bare":   segtest.Paged(segment.Heap(), page),
			"cache":  segment.NewCache(segtest.Paged(segment.Heap(), page), 16<<20),
			"budget": segment.NewBudget("b", segtest.Paged(segment.Heap(), page), 64<<20),
			"chain":  segment.Chain(segment.Fixed(make([]byte, 1<<20)), segtest.Paged(segment.Heap(), page)),
		} {
			t.Run(name, func(t *testing.T) {
				segtest.Conform(t, p, segtest.Traits{Joins: name == "strip" || name == "cache"})
			})
		}
	}
}

func TestNull(t *testing.T) {
	if s, err := segment.Null().Acquire(1, 1); err == nil {
		t.Errorf("Acquire from nothing = %v", s)
	}
	if segment.Null().Release(segment.Segment{Size: 1}) == nil {
		t.Error("Release to nothing succeeded")
	}
}
