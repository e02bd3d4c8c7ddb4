package segment_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// mustAcquireMany returns segments of random sizes up to 2 MiB.
func mustAcquireMany(t *testing.T, p segment.Provider, rng *rand.Rand, n int) (ss []segment.Segment) {
	t.Helper()
	for range n {
		ss = append(ss, mustAcquire(t, p, 1+rng.IntN(2*mib)>>rng.IntN(10)))
	}
	return ss
}

// TestReleaseMany releases segments, in three orders, of each provider and of
// decorators over it; half of them, so that there are others between, then the rest.
func TestReleaseMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	for name, decorate := range map[string]func(segment.Provider) segment.Provider{
		"bare":   func(p segment.Provider) segment.Provider { return p },
		"cache":  func(p segment.Provider) segment.Provider { return segment.NewCache(p, 256*mib) },
		"little": func(p segment.Provider) segment.Provider { return segment.NewCache(p, 4*mib) },
		"budget": func(p segment.Provider) segment.Provider {
			return segment.NewBudget("b", segment.NewCache(p, 256*mib), 1<<30)
		},
		"chain": func(p segment.Provider) segment.Provider {
			return segment.Chain(segment.Fixed(make([]byte, 2*mib)), segment.NewCache(p, 256*mib))
		},
		"counter": func(p segment.Provider) segment.Provider {
			return segment.Counting(segment.Failing(segment.NewCache(p, 256*mib), 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := segment.Counting(segment.OS())
			p := decorate(up)
			books := segtest.NewLedger(p)
			for order := range 3 {
				ss := mustAcquireMany(t, books, rng, 100)
				rng.Shuffle(len(ss), func(i, j int) { ss[i], ss[j] = ss[j], ss[i] })
				for _, half := range [][]segment.Segment{ss[:50], ss[50:]} {
					slices.SortFunc(half, func(a, b segment.Segment) int {
						return int(raw.AddrOf(a.Base)/segment.Granule-raw.AddrOf(b.Base)/segment.Granule) * (order - 1)
					})
					if refused, err := segment.ReleaseMany(books, half); err != nil || len(refused) != 0 {
						t.Fatalf("order %d: %d segments refused: %v", order, len(refused), err)
					}
					if c, ok := p.(*segment.Cache); ok {
						mustCheck(t, c)
					}
				}
			}
			books.Settled(t)
			if b, ok := p.(*segment.Budget); ok && b.Used() != 0 {
				t.Errorf("%d bytes are charged", b.Used())
			}
			if c, ok := p.(*segment.Counter); ok && (c.Bytes() != 0 || c.Releases() != c.Acquires() || c.Releases() != 300) {
				t.Errorf("%d bytes are out after %d releases of %d", c.Bytes(), c.Releases(), c.Acquires())
			}
			if err := segment.Drain(p); err != nil || up.Bytes() != 0 {
				t.Errorf("Drain: %v, %d bytes are held", err, up.Bytes())
			}
		})
	}
}

// TestReleaseManyRefuses mixes segments that are out with those that are not.
func TestReleaseManyRefuses(t *testing.T) {
	for _, max := range []int{0, 2 * mib, 64 * mib} {
		c, up := newCache(max)
		a, b, d := mustAcquire(t, c, 64*kib), mustAcquire(t, c, 64*kib), mustAcquire(t, c, 3*mib)
		gone := mustAcquire(t, c, 64*kib)
		mustRelease(t, c, gone)
		bad := []segment.Segment{
			{},
			gone,
			{Base: a.Base, Size: a.Size - segment.Granule},
			{Base: (raw.AddrOf(d.Base) + segment.Granule).Pointer(), Size: segment.Granule},
			mustAcquire(t, segment.Heap(), 64*kib),
			a, // a second time
		}
		// Put together anew, a segment is as good as the one that was acquired.
		ss := []segment.Segment{a, bad[0], {Base: d.Base, Size: d.Size}, bad[1], bad[2], bad[3], b, bad[4], a}
		refused, err := segment.ReleaseMany(c, ss)
		if !errors.Is(err, segment.ErrForeign) || len(refused) != len(bad) {
			t.Fatalf("%d of %d refused: %v", len(refused), len(bad), err)
		}
		for _, s := range bad {
			if !slices.Contains(refused, s) {
				t.Errorf("%v is not among the refused", s)
			}
		}
		if &refused[0] != &ss[0] {
			t.Error("the refused are elsewhere")
		}
		mustDrain(t, c, up)
	}
}

// TestReleaseManyFails fails each of the calls in turns: that segment is the caller's
// still, the others are not.
func TestReleaseManyFails(t *testing.T) {
	const n = 20
	for nth := 1; nth <= n; nth++ {
		cache := segment.NewCache(segment.Heap(), 64*mib)
		failer := segment.Failing(cache, n+nth)
		budget := segment.NewBudget("b", failer, 1<<30)
		counter := segment.Counting(budget)
		books := segtest.NewLedger(counter)
		var ss []segment.Segment
		for i := range n {
			ss = append(ss, mustAcquire(t, books, (i+1)*16*kib))
		}
		refused, err := segment.ReleaseMany(books, ss)
		if want := nth * 16 * kib; len(refused) != 1 || err == nil || refused[0].Size != want || budget.Used() != want || counter.Bytes() != want || counter.Failures() != 1 {
			t.Fatalf("call %d: %v refused (%v), %d bytes charged, %d counted", nth, refused, err, budget.Used(), counter.Bytes())
		}
		mustCheck(t, cache)
		mustRelease(t, books, refused...)
		books.Settled(t)
		if counter.Bytes() != 0 || budget.Used() != 0 {
			t.Errorf("%d bytes counted, %d charged at the end", counter.Bytes(), budget.Used())
		}
	}
}

// grouped writes down how many segments come back together.
type grouped struct {
	segment.Provider
	groups []int
}

func (g *grouped) ReleaseMany(ss []segment.Segment) ([]segment.Segment, error) {
	g.groups = append(g.groups, len(ss))
	return segment.ReleaseMany(g.Provider, ss)
}

// TestChainReleasesGroups requires that each side of a chain is given its segments
// together.
func TestChainReleasesGroups(t *testing.T) {
	first, then := &grouped{Provider: segment.Fixed(make([]byte, 10*16*kib+16))}, &grouped{Provider: segment.OS()}
	p := segment.Chain(first, then)
	var ss []segment.Segment
	for range 30 {
		ss = append(ss, mustAcquire(t, p, 16*kib))
	}
	if refused, err := segment.ReleaseMany(p, ss); err != nil || len(refused) != 0 {
		t.Fatalf("%d segments refused: %v", len(refused), err)
	}
	if !slices.Equal(first.groups, []int{10}) || !slices.Equal(then.groups, []int{20}) {
		t.Errorf("first was given %d, then %d together", first.groups, then.groups)
	}
}

// TestChainReleasesTheRest mixes segments of both sides with one that a side refuses,
// in turns, and with some that are not out: those stay, and the others go.
func TestChainReleasesTheRest(t *testing.T) {
	const n = 10
	for nth := 1; nth <= n; nth++ {
		// Both sides serve n segments; the first is then asked n times in vain.
		first := segment.Failing(segment.Fixed(make([]byte, n*16*kib+16)), 2*n+nth)
		then := segment.Failing(segment.Heap(), n+nth)
		p := segment.Chain(first, then)
		var ss []segment.Segment
		for range 2 * n {
			ss = append(ss, mustAcquire(t, p, 16*kib))
		}
		own, others := slices.Clone(ss[:n]), slices.Clone(ss[n:])
		stranger := mustAcquire(t, segment.Heap(), 16*kib)
		twice := own[nth%n]
		ss = slices.Concat(own[:5], others[:5], []segment.Segment{stranger, {}}, own[5:], others[5:], []segment.Segment{twice})
		refused, err := segment.ReleaseMany(p, ss)
		want := []segment.Segment{own[nth-1], others[nth-1], stranger, twice, {}}
		if len(refused) != len(want) || !errors.Is(err, segment.ErrForeign) || !errors.Is(err, segment.ErrNoMemory) {
			t.Fatalf("%d refused: %v", len(refused), err)
		}
		for _, s := range want {
			if !slices.Contains(refused, s) {
				t.Errorf("%v is not among the refused", s)
			}
		}
		if &refused[0] != &ss[0] {
			t.Error("the refused are elsewhere")
		}
		mustRelease(t, p, own[nth-1], others[nth-1])
		for _, s := range slices.Concat(own, others) {
			if err := p.Release(s); !errors.Is(err, segment.ErrForeign) {
				t.Errorf("a second Release: %v", err)
			}
		}
	}
}
