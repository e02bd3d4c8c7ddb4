package segment

import (
	"fmt"
	"slices"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// CacheStats tells what a [Cache] holds and how it has served.
type CacheStats struct {
	Held     int // bytes owed to the upstream, in use or idle
	InUse    int // bytes of segments that are out
	Idle     int // bytes ready for reuse
	Mappings int // segments of the upstream's
	Segments int // segments that are out

	Hits      int // requests served from idle memory, joined or not
	Misses    int // requests that took a new mapping
	Evictions int // mappings given back
	Failures  int // times that the upstream refused to take something back
}

// Idle returns the bytes that are ready for reuse, without those that the cache
// is just giving back or joining.
func (c *Cache) Idle() int { c.mu.Lock(); defer c.mu.Unlock(); return c.idleBytes }

// Held returns the bytes that the cache has from its upstream, in use or idle.
func (c *Cache) Held() int { c.mu.Lock(); defer c.mu.Unlock(); return c.heldBytes }

// Stats returns the present state. It visits every extent.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Held, s.Idle = c.heldBytes, c.idleBytes
	count := func(m *mapping) bool {
		s.Mappings++
		for e := &m.first; e != nil; e = e.next {
			if e.state == inUse {
				s.Segments++
				s.InUse += e.size
			}
		}
		return true
	}
	c.live.each(count)
	c.spare.each(count)
	return s
}

// Check derives the cache's state anew from its mappings and compares it with
// what the cache believes. It returns the first difference, or nil. Its cost
// grows with the number of extents.
func (c *Cache) Check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := cacheCheck{cache: c, held: c.transit}
	c.live.each(func(m *mapping) bool { return k.mapping(m, true) })
	c.spare.each(func(m *mapping) bool { return k.mapping(m, false) })
	k.expect(k.idle == c.idleBytes, "%d bytes are idle, not %d", k.idle, c.idleBytes)
	k.expect(k.held == c.heldBytes, "%d bytes are held, not %d", k.held, c.heldBytes)
	k.expect(k.idles == c.idle.len(), "%d extents are idle, the set has %d", k.idles, c.idle.len())
	numbered := len(c.numbers.extents) - len(c.numbers.free)
	k.expect(k.uses+k.idles == numbered || c.transit > 0, "there are %d extents, but %d have a number", k.uses+k.idles, numbered)
	k.expect(len(k.spans) == c.index.Len(), "there are %d mappings, the index has %d", len(k.spans), c.index.Len())
	k.disjoint()
	return k.err
}

// cacheCheck is what a walk over the mappings has found.
type cacheCheck struct {
	cache       *Cache
	held, idle  int // bytes
	idles, uses int // extents
	spans       [][2]raw.Addr
	err         error // the first difference
}

func (k *cacheCheck) expect(ok bool, format string, args ...any) {
	if !ok && k.err == nil {
		k.err = fmt.Errorf("segment: cache: check: "+format, args...)
	}
}

// mapping checks that the extents of m tile it, and m's own counters. It
// reports whether to go on.
func (k *cacheCheck) mapping(m *mapping, live bool) bool {
	base := raw.AddrOf(m.seg.Base)
	k.spans = append(k.spans, [2]raw.Addr{base, base + raw.Addr(m.seg.Size)})
	k.held += m.seg.Size
	end, uses := 0, k.uses
	var prev *extent
	for e := &m.first; e != nil && k.err == nil; prev, e = e, e.next {
		k.expect(e.m == m && e.prev == prev, "mapping %#x: links broken at offset %#x", base, e.off)
		k.expect(e.off == end, "mapping %#x: extent at offset %#x, not %#x", base, e.off, end)
		k.expect(e.size > 0 && e.size%Granule == 0, "mapping %#x+%#x: extent of %d bytes", base, e.off, e.size)
		k.expect(0 <= e.committed && e.committed <= e.size, "mapping %#x+%#x: %d bytes of %d are committed", base, e.off, e.committed, e.size)
		end += e.size
		k.extent(e, prev)
	}
	uses = k.uses - uses
	k.expect(0 <= m.fresh && m.fresh <= m.size(), "mapping %#x of %d bytes: fresh from %d on", base, m.seg.Size, m.fresh)
	k.expect(end == m.size(), "mapping %#x of %d bytes: extents end at %d", base, m.seg.Size, end)
	k.expect(uses == int(m.inUse), "mapping %#x: %d extents in use, not %d", base, uses, m.inUse)
	k.expect(live == (uses > 0), "mapping %#x: %d extents in use, in the wrong ring", base, uses)
	return k.err == nil
}

// extent checks that e is found where its state says, and only there.
func (k *cacheCheck) extent(e, prev *extent) {
	inSet := k.cache.idle.has(e)
	k.expect(inSet == (e.state == idle), "extent %#x of %d bytes: state %d, in the idle set: %t", e.base, e.size, e.state, inSet)
	k.expect(e.base == e.m.base()+raw.Addr(e.off), "extent %#x is at offset %#x of mapping %#x", e.base, e.off, e.m.base())
	k.expect(k.cache.numbers.hinted(e.segment()) == e, "extent %#x of %d bytes is not number %d", e.base, e.size, e.number)
	k.expect(e.state != inUse || k.cache.search(e.segment()) == e, "extent %#x of %d bytes is not found by its address", e.base, e.size)
	if e.state != idle {
		k.uses++
		k.expect(e.off+e.size <= e.m.fresh, "extent %#x in use counts as fresh", e.base)
		return
	}
	k.idles++
	k.idle += e.size
	k.expect(prev == nil || prev.state != idle, "idle extents %#x and before it are not joined", e.base)
}

// disjoint checks that no two mappings overlap.
func (k *cacheCheck) disjoint() {
	slices.SortFunc(k.spans, func(a, b [2]raw.Addr) int {
		if a[0] < b[0] {
			return -1
		}
		return 1
	})
	for i := 1; i < len(k.spans); i++ {
		k.expect(k.spans[i-1][1] <= k.spans[i][0], "mappings at %#x and %#x overlap", k.spans[i-1][0], k.spans[i][0])
	}
}
