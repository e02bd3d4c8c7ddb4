package memctx_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
)

// TestFeedConforms runs the suite of providers over blocks of a context, and of a
// locked one for the part with goroutines.
func TestFeedConforms(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		segtest.Conform(t, mc.Provider(), segtest.Traits{Single: true})
		segtest.Conform(t, segment.NewCache(mc.Provider(), 0), segtest.Traits{Single: true, Joins: true})
		mustCheck(t, mc)
		if s := mc.Stats(); s.Blocks != 0 {
			t.Errorf("%d blocks are left", s.Blocks)
		}
		locked, err := memctx.NewLocked(&o)
		if err != nil {
			t.Fatal(err)
		}
		segtest.Conform(t, locked.Provider(), segtest.Traits{})
		if err := errors.Join(locked.Check(), locked.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestFeedModel lets a context live in blocks of another one.
func TestFeedModel(t *testing.T) {
	seed := segtest.Seed(t)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		parent, _ := newCounted(t, o)
		o.Provider = parent.Provider()
		runModel(t, model.Config{Options: o, Every: 50, MaxBytes: 4 << 20}, seed, 1000)
		mustCheck(t, parent)
		if s := parent.Stats(); s.Blocks != 0 {
			t.Errorf("%d blocks are left", s.Blocks)
		}
	})
}

// TestFeedErrors names the context whose limit it was.
func TestFeedErrors(t *testing.T) {
	parent := newContext(t, &memctx.Options{Name: "parent", Limit: 256 << 10})
	child := newContext(t, &memctx.Options{Name: "child", Provider: parent.Provider()})
	_, err := child.Alloc(1 << 20)
	mustFail(t, err, memctx.ErrLimit, "Alloc")
	var e *memctx.Error
	if errors.As(err, &e); e.Context != "child" || e.By != "parent" || e.Limit != 256<<10 || e.N != 1<<20 {
		t.Errorf("%+v", e)
	}
	for _, n := range []int{0, -1, memctx.MaxRequest + 1} {
		if _, err := parent.Provider().Acquire(n, n); !errors.Is(err, memctx.ErrNoMemory) || !errors.Is(err, memctx.ErrSize) {
			t.Errorf("Acquire(%d) = %v", n, err)
		}
	}
	p := parent.Provider()
	s, err := p.Acquire(100, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Release(s); err != nil {
		t.Error(err)
	}
	mustFault(t, parent, diag.DoubleFree, "Free", func() { p.Release(s) })
}

// TestFeedClosedFirst closes the parent before what stands on it, which is a
// mistake of no consequence.
func TestFeedClosedFirst(t *testing.T) {
	parent := newContext(t, &memctx.Options{Name: "parent"})
	p := parent.Provider()
	child := newContext(t, &memctx.Options{Name: "child", Provider: p})
	mustAlloc(t, child, 100)
	if err := parent.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := child.Alloc(1 << 20)
	if !errors.Is(err, memctx.ErrClosed) || !errors.Is(err, memctx.ErrNoMemory) {
		t.Errorf("Alloc = %v", err)
	}
	if _, err := segment.Resize(p, segment.Segment{}, 1, 1, false); !errors.Is(err, memctx.ErrClosed) {
		t.Errorf("Resize = %v", err)
	}
	if err := errors.Join(segment.Discard(p, segment.Segment{}, 0, 0), segment.Drain(p)); err != nil {
		t.Error(err)
	}
}

// TestFeedTrim reaches through to the parent's own provider.
func TestFeedTrim(t *testing.T) {
	parent, up := newCounted(t, memctx.Options{Retain: 64 << 20})
	child := newContext(t, &memctx.Options{Provider: parent.Provider()})
	child.Free(mustAlloc(t, child, 10<<20))
	if err := child.Trim(); err != nil || up.Bytes() > 1<<20 {
		t.Errorf("Trim = %v, %d bytes left", err, up.Bytes())
	}
}

// TestFeedUnderBudget has a budget between the two.
func TestFeedUnderBudget(t *testing.T) {
	locked, err := memctx.NewLocked(&memctx.Options{Name: "locked", Provider: segment.Heap()})
	if err != nil {
		t.Fatal(err)
	}
	b := segment.NewBudget("b", locked.Provider(), 1<<20)
	seed := segtest.Seed(t)
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			o := memctx.Options{Provider: b}
			runModel(t, model.Config{Options: o, Scarce: true, Every: 200, MaxBytes: 1 << 20}, seed+g, 500)
		})
	}
	wg.Wait()
	if b.Used() != 0 || b.Peak() > 1<<20 {
		t.Errorf("%d used, peak %d", b.Used(), b.Peak())
	}
	if err := errors.Join(locked.Check(), locked.Close()); err != nil {
		t.Error(err)
	}
}

// TestBudgetIsNamed by errors of contexts.
func TestBudgetIsNamed(t *testing.T) {
	all := segment.NewBudget("all", segment.Heap(), 1<<20)
	mc := newContext(t, &memctx.Options{Name: "mc", Limit: 2 << 20, Provider: all.Child("acme", 512<<10)})
	for _, c := range []struct {
		n, limit int
		by       string
	}{{600 << 10, 512 << 10, "acme"}, {3 << 20, 2 << 20, "mc"}} {
		_, err := mc.Alloc(c.n)
		mustFail(t, err, memctx.ErrLimit, "Alloc")
		var e *memctx.Error
		if errors.As(err, &e); e.By != c.by || e.Limit != c.limit || e.Context != "mc" {
			t.Errorf("%+v, want it by %q with limit %d", e, c.by, c.limit)
		}
		var budget *segment.LimitError
		if errors.As(err, &budget) != (c.by == "acme") {
			t.Errorf("%v: a budget's refusal: %v", err, budget)
		}
	}
	all.SetLargest(100 << 10)
	_, err := mc.Alloc(200 << 10)
	var budget *segment.LimitError
	if !errors.As(err, &budget) || !budget.Veto || budget.By != "all" {
		t.Errorf("%v is no veto", err)
	}
}

// TestFeedOfNoSegment passes what is no segment to a context as the provider.
func TestFeedOfNoSegment(t *testing.T) {
	mc := newContext(t, nil)
	p := mc.Provider()
	for _, s := range []segment.Segment{{}, {Size: 100}, {Base: mustAlloc(t, mc, 10)}, {Base: mustAlloc(t, mc, 10), Size: -1}} {
		_, err := segment.Resize(p, s, 100, 200, false)
		for op, err := range map[string]error{"Resize": err, "Release": p.Release(s), "Quarantine": segment.Quarantine(p, s)} {
			if !errors.Is(err, segment.ErrForeign) {
				t.Errorf("%s of %v: %v", op, s, err)
			}
		}
	}
	mustCheck(t, mc)
}
