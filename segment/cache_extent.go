package segment

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// mapping is one segment of the upstream's, tiled by extents. Its size is one that
// the Go heap aligns to lines of the processor's cache; what Release needs is in the
// first two: see takeBack.
type mapping struct {
	prev, next *mapping // in the ring live or spare
	inUse      int32    // extents that are not idle
	idleSince  uint32   // the period in which inUse became 0
	fresh      int      // offset from which on nothing was ever handed out
	epoch      int32    // of the Drain that last discarded its idle pages
	apart      bool     // the upstream does not join it with the one before it
	seg        Segment
	first      extent // in address order
}

// size returns the bytes of m in whole granules.
func (m *mapping) size() int { return m.seg.Size &^ (Granule - 1) }

func (m *mapping) base() raw.Addr { return raw.AddrOf(m.seg.Base) }

// put makes m a mapping of seg, which has one extent. The others, if it had any,
// must be gone.
func (m *mapping) put(seg Segment) {
	m.seg = seg
	m.first.m, m.first.base, m.first.size = m, m.base(), m.size()
}

type extentState uint8

const (
	idle   extentState = iota // in the idle set
	inUse                     // a user's
	hidden                    // the cache's own, while its pages are discarded or in quarantine
)

// extent is a run of whole granules in a mapping.
type extent struct {
	m          *mapping
	base       raw.Addr
	off, size  int
	committed  int     // bytes from off on that are known to be, where it matters
	prev, next *extent // neighbours in the mapping
	number     uint32  // see numbers
	state      extentState
	slot       uint8 // in the idle set's array, plus one; 0 elsewhere
}

func (e *extent) segment() Segment {
	return Segment{Base: unsafe.Add(e.m.seg.Base, e.off), Size: e.size, hint: e.number}
}

// isOut reports whether e, which may be nil, was handed out as s.
func (e *extent) isOut(s Segment) bool {
	return e != nil && e.state == inUse && e.size == s.Size && e.base == raw.AddrOf(s.Base)
}

// numbers number the extents of a cache. A segment bears the number of its extent,
// with which it is found again. That is a hint: nothing depends on its being right.
type numbers struct {
	extents []*extent // by number
	free    []uint32
}

// give gives e a number.
func (n *numbers) give(e *extent) {
	if last := len(n.free) - 1; last >= 0 {
		e.number = n.free[last]
		n.free = n.free[:last]
		n.extents[e.number] = e
		return
	}
	e.number = uint32(len(n.extents))
	n.extents = append(n.extents, e)
}

// take takes the number of e back.
func (n *numbers) take(e *extent) {
	n.extents[e.number] = nil
	n.free = append(n.free, e.number)
}

// hinted returns the extent with the number that s bears, or nil.
func (n *numbers) hinted(s Segment) *extent {
	if uint64(s.hint) < uint64(len(n.extents)) {
		return n.extents[s.hint]
	}
	return nil
}

// indexedMapping is a mapping in the index by address.
type indexedMapping struct {
	base raw.Addr
	m    *mapping
}

func (a indexedMapping) less(b indexedMapping) bool { return a.base < b.base }

func (c *Cache) enterIndex(m *mapping) { c.index.ReplaceOrInsert(indexedMapping{m.base(), m}) }
func (c *Cache) leaveIndex(m *mapping) { c.index.Delete(indexedMapping{base: m.base()}) }

// lookup returns the extent that was handed out as s, or nil.
func (c *Cache) lookup(s Segment) *extent {
	if e := c.numbers.hinted(s); e.isOut(s) {
		return e
	}
	return c.search(s)
}

// search is lookup for a segment without a number that helps, whose Base and Size
// somebody has put together. The work grows with the segments in the mapping.
func (c *Cache) search(s Segment) *extent {
	base := raw.AddrOf(s.Base)
	c.below = nil
	c.index.DescendLessOrEqual(indexedMapping{base: base}, c.floor)
	if c.below == nil {
		return nil
	}
	for e := &c.below.first; e != nil && e.base <= base; e = e.next {
		if e.isOut(s) {
			return e
		}
	}
	return nil
}

func (c *Cache) insertIdle(e *extent) {
	e.state = idle
	c.idle.insert(e)
	c.idleBytes += e.size
}

func (c *Cache) removeIdle(e *extent) {
	c.idle.remove(e)
	c.idleBytes -= e.size
}

// bestFit takes out the smallest idle extent of at least want bytes, or else
// the largest one if that is at least half of what is wanted: a context that
// asks for a range should not get its bottom while the upstream has more.
func (c *Cache) bestFit(least, want int) *extent {
	e := c.idle.smallest(want)
	if e == nil {
		if e = c.idle.largest(); e == nil || e.size < least || e.size < want/2 {
			return nil
		}
	} else if e.size > CarveSize && e.size/splitLimit > want {
		return nil
	}
	c.removeIdle(e)
	return e
}

// anyFit takes out an idle extent of at least least bytes, no matter how well
// it fits.
func (c *Cache) anyFit(least, want int) *extent {
	e := c.idle.smallest(want)
	if e == nil {
		if e = c.idle.largest(); e == nil || e.size < least {
			return nil
		}
	}
	c.removeIdle(e)
	return e
}

// carve makes the first size bytes of e, which is idle but not in the set, a
// user's. The rest stays idle.
func (c *Cache) carve(e *extent, size int) Segment {
	if e.size > size {
		c.insertIdle(c.split(e, size))
	}
	m := e.m
	s := e.segment()
	s.Zeroed = m.seg.Zeroed && e.off >= m.fresh
	m.fresh = larger(m.fresh, e.off+e.size)
	c.use(e)
	return s
}

func (c *Cache) use(e *extent) {
	e.state = inUse
	if e.m.inUse++; e.m.inUse == 1 {
		c.live.moveBack(e.m)
	}
}

// putIdle puts e, which is in use or hidden, into the idle set, joined with its
// idle neighbours.
func (c *Cache) putIdle(e *extent) {
	if n := e.next; n != nil && n.state == idle {
		c.removeIdle(n)
		c.absorbNext(e)
	}
	if p := e.prev; p != nil && p.state == idle {
		c.removeIdle(p)
		c.absorbNext(p)
		e = p
	}
	c.insertIdle(e)
	if e.m.inUse--; e.m.inUse == 0 {
		c.rest(e.m)
	}
}

// split cuts e to size and returns the rest, in the same state.
func (c *Cache) split(e *extent, size int) *extent {
	rest := c.newExtent()
	*rest = extent{m: e.m, base: e.base + raw.Addr(size), off: e.off + size, size: e.size - size, state: e.state, prev: e, next: e.next}
	c.numbers.give(rest)
	rest.committed = larger(e.committed-size, 0)
	e.committed -= rest.committed
	if e.next != nil {
		e.next.prev = rest
	}
	e.next = rest
	e.size = size
	return rest
}

// absorbNext joins e with the extent behind it.
func (c *Cache) absorbNext(e *extent) {
	n := e.next
	if e.committed == e.size {
		e.committed += n.committed
	}
	e.size += n.size
	e.next = n.next
	if n.next != nil {
		n.next.prev = e
	}
	c.freeExtent(n)
}

func (c *Cache) newExtent() *extent {
	e := c.unused
	if e == nil {
		return new(extent)
	}
	c.unused = e.next
	return e
}

func (c *Cache) freeExtent(e *extent) {
	c.numbers.take(e)
	*e = extent{next: c.unused}
	c.unused = e
}
