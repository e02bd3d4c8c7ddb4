package segment

import (
	"math/bits"
	"sync"

	"github.com/google/btree"

	"github.com/cookmem-go/cookmem/internal/raw"
)

const (
	// Granule is what sizes of segments from a [Cache] are multiples of, and
	// what they are aligned to where the upstream aligns to it. It is not the
	// page size: where pages are larger, segments may share one, at the price
	// that Discard leaves the shared page alone.
	Granule = 4 << 10

	// CarveSize is the size of the mappings from which a [Cache] carves smaller
	// segments, unless its bound is so low that four of them would exceed it.
	CarveSize = 1 << 20
)

// splitLimit is how many times larger than the request an idle extent beyond
// CarveSize may be and still be split for it. A 16 KiB segment in a 64 MiB
// extent would pin all of it and force the next user of 64 MiB to the upstream.
// The rule is jemalloc's (lg_extent_max_active_fit).
const splitLimit = 64

// Cache keeps released segments for reuse. Touching fresh pages costs more than
// anything else a short-lived heap does, and a cache is what avoids it.
//
// A mapping is a segment that the cache got from its upstream. It is divided
// into extents, each idle or in use, which tile it; two neighbouring extents of
// one mapping are never both idle. A mapping leaves the cache when all of it is idle,
// and as a whole.
//
// Mappings that lie side by side and are all idle are joined where the upstream can
// (see [Joiner]), for a request of eight times CarveSize or more that none of them could
// serve: their pages have been faulted in, those of a new mapping have not. It is done then and not before, as the
// parts serve smaller requests, and go back, one by one; and what is left behind the
// request becomes a mapping of its own again, as old as it was. The search looks at the
// mappings in the order of their addresses, one for each 64 KiB of the request and at
// least 32, and begins where the last one has ended. Where the upstream cannot join,
// it finds out at the first attempt.
//
// An idle extent is found by size, the smallest that fits: see idleSet. A segment
// that comes back bears the number of its extent, and is compared with it; one that
// does not match is searched for by address, through a B-tree of the mappings, before
// it is refused. What comes and goes thus changes neither that tree nor, as a rule,
// that of the sizes.
//
// All methods may be called by any goroutine. The upstream is called without
// holding the lock: unmapping a gigabyte takes tens of milliseconds.
type Cache struct {
	up   Provider
	max  int // idle bytes kept
	unit int // size of a new mapping, at least

	mu      sync.Mutex
	idle    idleSet
	index   *btree.BTreeG[indexedMapping]
	numbers numbers
	live    ring    // mappings with an extent in use
	spare   ring    // mappings all idle, longest idle first
	unused  *extent // extent structs for reuse, linked by next
	epoch   int32   // of the latest Drain

	floor func(indexedMapping) bool // stores its argument in below; made once
	below *mapping

	quarantine quarantine
	decay      decay
	batch      []*extent // scratch of ReleaseMany

	idleBytes int // in extents of the idle set
	heldBytes int // owned by the cache or its users
	transit   int // of heldBytes: taken out while the upstream is asked
	stats     CacheStats

	joinFrom   int      // bytes of a request for which mappings are joined
	lookFrom   raw.Addr // where the next search for neighbours begins
	unjoinable bool     // the upstream joins nothing
}

// NewCache returns a cache over up that keeps at most max idle bytes. With max
// of 0 or less it keeps nothing.
//
// Whole mappings go back to the upstream when there is more, those first that
// have been idle longest. What is idle in a mapping that is still in use cannot
// go back; beyond max its pages are discarded where the upstream can do that.
func NewCache(up Provider, max int) *Cache {
	c := &Cache{
		up:    up,
		max:   larger(max, 0),
		index: btree.NewG(32, indexedMapping.less),
	}
	c.idle.init()
	c.decay.init()
	c.unit = larger(smaller(CarveSize, c.max/4)&^(Granule-1), Granule)
	c.joinFrom = joinUnits * c.unit
	c.live.init()
	c.spare.init()
	c.floor = func(i indexedMapping) bool { c.below = i.m; return false }
	return c
}

// Default returns the cache over [OS] that the whole process shares. It keeps
// up to 1 GiB idle, 64 MiB on 32-bit systems, and mappings that nobody uses for 10 to
// 20 seconds; see [Cache.SetDecay].
func Default() *Cache { return defaultCache() }

var defaultCache = sync.OnceValue(func() *Cache {
	idle := 1 << 30
	if bits.UintSize == 32 {
		idle = 64 << 20
	}
	c := NewCache(OS(), idle)
	c.SetDecay(defaultDecay)
	return c
})

// Acquire implements [Provider]. Sizes are multiples of [Granule]. The segment
// is known to be zero only if no part of it was handed out before.
//
// If nothing idle fits, mappings are joined for a large request, and else the upstream
// is asked for a new one. If it refuses, whatever is idle and large enough for min is
// used, joined if need be; then everything idle is given back and the upstream asked
// again. Only then does Acquire fail, with the upstream's error.
func (c *Cache) Acquire(min, max int) (Segment, error) {
	want, ok := fit(min, max, Granule)
	if !ok {
		return Segment{}, noMemory("cache", min, max, nil)
	}
	least, _ := roundUp(min, Granule)
	if s, ok := c.acquireFitting(least, want); ok {
		return s, nil
	}
	return c.acquireMapping(least, want)
}

// acquireFitting serves a request from what is idle and fits well.
func (c *Cache) acquireFitting(least, want int) (Segment, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serve(c.bestFit(least, want), want)
}

// serve serves a request for want bytes from e, as far as it has them. e is idle but not
// in the set, or nil.
func (c *Cache) serve(e *extent, want int) (Segment, bool) {
	if e == nil {
		return Segment{}, false
	}
	s := c.carve(e, smaller(want, e.size))
	c.stats.Hits++
	c.count(1)
	return s, true
}

// Release implements [Provider]. It fails only with [ErrForeign], for a segment
// that is not out: the upstream's troubles are the cache's own, see Drain.
func (c *Cache) Release(s Segment) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.lookup(s)
	if e == nil {
		return foreign("cache", "release", s)
	}
	if c.idleBytes+e.size > c.max && c.spare.empty() && e.m.inUse > 1 {
		c.discardHidden(e)
	}
	c.putIdle(e)
	if c.idleBytes > c.max {
		c.shed()
	}
	c.count(1)
	return nil
}

// outside calls f, which asks the upstream, with the lock open. If f panics, as a
// context does that is the upstream and meets a fault, the lock is as its owner expects
// it; what f was about stays hidden, and is lost to the cache.
func (c *Cache) outside(f func()) {
	c.mu.Unlock()
	defer c.mu.Lock()
	f()
}

// larger and smaller stand for max and min where parameters of an Acquire have
// those names.
func larger(a, b int) int  { return max(a, b) }
func smaller(a, b int) int { return min(a, b) }
