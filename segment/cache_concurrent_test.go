package segment_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// The race detector sees Go memory only, hence the upstream.
func TestCacheConcurrent(t *testing.T) {
	for _, max := range []int{0, mib, 64 * mib} {
		for _, source := range []segment.Provider{segment.Heap(), segtest.Paged(segment.Heap(), segment.Granule)} {
			up := segment.Counting(source)
			c := segment.NewCache(up, max)
			books := segtest.NewLedger(c)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() { hammer(t, c, books, byte(g+1)) })
			}
			wg.Wait()
			books.Settled(t)
			mustDrain(t, c, up)
		}
	}
}

// hammer uses the cache in all ways, and its memory for a mark.
func hammer(t *testing.T, c *segment.Cache, p segment.Provider, mark byte) {
	rng := rand.New(rand.NewPCG(uint64(mark), 0))
	var out []segment.Segment
	for i := range 300 {
		n := 1 + rng.IntN(100_000)
		s, err := p.Acquire(n, 2*n)
		if err != nil {
			t.Error(err)
			return
		}
		segtest.Fill(s, mark)
		if out = append(out, s); len(out) > 8 {
			j := rng.IntN(len(out))
			if !segtest.All(out[j], mark) {
				t.Error("segment shared by two goroutines")
			}
			if err := p.Release(out[j]); err != nil {
				t.Error(err)
			}
			out = append(out[:j], out[j+1:]...)
		}
		switch i % 100 {
		case 33:
			if err := c.Drain(); err != nil {
				t.Error(err)
			}
		case 66:
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		case 99:
			j := rng.IntN(len(out))
			if r, err := segment.Resize(p, out[j], 4096, 4096, true); err == nil {
				out[j] = r
			}
		}
	}
	for _, s := range out {
		if err := p.Release(s); err != nil {
			t.Error(err)
		}
	}
}

// Eight goroutines take and give back small and large segments of a cache that joins its
// mappings meanwhile.
func TestCacheJoinsConcurrently(t *testing.T) {
	up := segment.Counting(segtest.NewStrip(128*mib, segment.Granule))
	c := segment.NewCache(up, 16*mib).JoinFrom(0)
	books := segtest.NewLedger(c)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() { crowdRows(t, c, books, byte(g+1)) })
	}
	wg.Wait()
	books.Settled(t)
	if t.Logf("%d joins, %d splits", up.Joins(), up.Splits()); up.Joins() == 0 || up.Splits() == 0 {
		t.Errorf("%d joins, %d splits", up.Joins(), up.Splits())
	}
	mustDrain(t, c, up)
}

// crowdRows takes segments that have mappings of their own, gives them back, and takes
// larger ones; the first of these grows.
func crowdRows(t *testing.T, c *segment.Cache, p segment.Provider, mark byte) {
	rng := rand.New(rand.NewPCG(uint64(mark), 1))
	for i := range 16 {
		for _, n := range []int{mib, 3*mib - rng.IntN(mib)} {
			var out []segment.Segment
			for range 3 {
				s, err := p.Acquire(n, n)
				if err != nil {
					t.Error(err)
					return
				}
				segtest.Fill(s, mark)
				out = append(out, s)
			}
			if s, err := segment.Resize(p, out[0], 4*mib, 4*mib, true); err == nil {
				segtest.Fill(s, mark)
				out[0] = s
			}
			for _, s := range out {
				if !segtest.All(s, mark) {
					t.Error("segment shared by two goroutines")
				}
				if err := p.Release(s); err != nil {
					t.Error(err)
				}
			}
		}
		if i%8 == 7 {
			if err := errors.Join(c.Check(), c.Drain()); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCacheDoesNotAllocate(t *testing.T) {
	c, _ := newCache(64 * mib)
	pair := func() { mustRelease(t, c, mustAcquire(t, c, 16*kib)) }
	pair()
	if n := testing.AllocsPerRun(1000, pair); n != 0 {
		t.Errorf("%v Go allocations for a segment from a warm cache", n)
	}
}

func TestDefaultIsShared(t *testing.T) {
	if a, b := segment.Default(), segment.Default(); a != b {
		t.Error("two default caches")
	}
	s := mustAcquire(t, segment.Default(), 16*kib)
	mustRelease(t, segment.Default(), s)
	mustCheck(t, segment.Default())
}
