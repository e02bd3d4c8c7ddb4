package segment

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// mapping is one segment of the upstream's, tiled by extents.
type mapping struct {
	seg   Segment
	size  int     // of seg.Size, the whole granules
	fresh int     // offset from which on nothing was ever handed out
	first *extent // in address order
	inUse int     // extents that are not idle
	epoch int     // of the Drain that last discarded its idle pages

	prev, next *mapping // in the ring live or spare
}

type extentState uint8

const (
	idle   extentState = iota // in the tree
	inUse                     // a user's
	hidden                    // the cache's own, while its pages are discarded or in quarantine
)

// extent is a run of whole granules in a mapping.
type extent struct {
	m          *mapping
	off, size  int
	committed  int // bytes from off on that are known to be, where it matters
	state      extentState
	prev, next *extent // neighbours in the mapping
}

func (e *extent) pointer() unsafe.Pointer { return unsafe.Add(e.m.seg.Base, e.off) }
func (e *extent) base() raw.Addr          { return raw.AddrOf(e.pointer()) }
func (e *extent) segment() Segment        { return Segment{Base: e.pointer(), Size: e.size} }

// idleExtent is an extent in the tree. The key lies beside the pointer, so that
// a search stays within the tree's nodes.
type idleExtent struct {
	size int
	base raw.Addr
	e    *extent
}

func (a idleExtent) less(b idleExtent) bool {
	if a.size != b.size {
		return a.size < b.size
	}
	return a.base < b.base
}

// usedExtent is an extent in the tree of those that are not idle.
type usedExtent struct {
	base raw.Addr
	e    *extent
}

func (a usedExtent) less(b usedExtent) bool { return a.base < b.base }

// extentAt returns the extent at base that is not idle, or nil.
func (c *Cache) extentAt(base raw.Addr) *extent {
	u, _ := c.used.Get(usedExtent{base: base})
	return u.e
}

func (c *Cache) insertIdle(e *extent) {
	e.state = idle
	c.idle.ReplaceOrInsert(idleExtent{e.size, e.base(), e})
	c.idleBytes += e.size
}

func (c *Cache) removeIdle(e *extent) {
	c.idle.Delete(idleExtent{e.size, e.base(), e})
	c.idleBytes -= e.size
}

// bestFit takes out the smallest idle extent of at least want bytes, or else
// the largest one if that is at least half of what is wanted: a context that
// asks for a range should not get its bottom while the upstream has more.
func (c *Cache) bestFit(least, want int) *extent {
	e := c.smallestIdle(want)
	if e == nil {
		if e = c.largestIdle(); e == nil || e.size < least || e.size < want/2 {
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
	e := c.smallestIdle(want)
	if e == nil {
		if e = c.largestIdle(); e == nil || e.size < least {
			return nil
		}
	}
	c.removeIdle(e)
	return e
}

func (c *Cache) smallestIdle(size int) *extent {
	c.found.e = nil
	c.idle.AscendGreaterOrEqual(idleExtent{size: size}, c.first)
	return c.found.e
}

func (c *Cache) largestIdle() *extent {
	i, _ := c.idle.Max()
	return i.e
}

// carve makes the first size bytes of e, which is idle but not in the tree, a
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
	c.used.ReplaceOrInsert(usedExtent{e.base(), e})
	if e.m.inUse++; e.m.inUse == 1 {
		c.live.moveBack(e.m)
	}
}

// putIdle puts e, which is in use or hidden, into the tree, joined with its
// idle neighbours.
func (c *Cache) putIdle(e *extent) {
	c.used.Delete(usedExtent{base: e.base()})
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
		c.spare.moveBack(e.m)
	}
}

// split cuts e to size and returns the rest, in the same state.
func (c *Cache) split(e *extent, size int) *extent {
	rest := c.newExtent()
	*rest = extent{m: e.m, off: e.off + size, size: e.size - size, state: e.state, prev: e, next: e.next}
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
	*e = extent{next: c.unused}
	c.unused = e
}
