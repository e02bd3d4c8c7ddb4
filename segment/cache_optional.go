package segment

import "errors"

// Discard implements [Discarder]: it discards the pages at the upstream.
func (c *Cache) Discard(s Segment, off, n int) error {
	m, at, err := c.locate("discard", s, off, n)
	if err != nil {
		return err
	}
	return Discard(c.up, m, at, n)
}

// Commit implements [Committer]: it commits the granules of those bytes at the
// upstream, unless they are known to be committed from an earlier use.
func (c *Cache) Commit(s Segment, off, n int) error {
	m, at, err := c.locate("commit", s, off, n)
	if err != nil {
		return err
	}
	before := off & (Granule - 1)
	off, at, n = off-before, at-before, n+before
	n, _ = roundUp(n, Granule)
	if c.committed(s, off, n, false) {
		return nil
	}
	if err = Commit(c.up, m, at, n); err == nil {
		c.committed(s, off, n, true)
	}
	return err
}

// committed reports whether the n bytes at offset off of s are known to be
// committed. If done is true they have just been.
func (c *Cache) committed(s Segment, off, n int, done bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.lookup(s)
	if e == nil {
		return false
	}
	if done && off <= e.committed {
		e.committed = larger(e.committed, off+n)
	}
	return off+n <= e.committed
}

// NeedsCommit implements [NeedsCommitter].
func (c *Cache) NeedsCommit() bool { _, ok := CommitterOf(c.up); return ok }

// locate returns the upstream's segment that holds s, and where in it the n
// bytes at offset off of s begin.
func (c *Cache) locate(op string, s Segment, off, n int) (Segment, int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.lookup(s)
	if e == nil || !within(s, off, n) {
		return Segment{}, 0, foreign("cache", op, s)
	}
	return e.m.seg, e.off + off, nil
}

// Resize implements [Resizer]. A segment shrinks in place, and grows in place
// into idle memory behind it. One that has a mapping to itself, as large ones do,
// or shares it only with what is idle behind, also grows over the mappings that come
// next, if they are all idle and the upstream can join them, or is resized by the
// upstream, and may move with its mapping. Otherwise, or if the upstream cannot, the error is
// [errors.ErrUnsupported]. Where segments need a commit, so does what was gained.
func (c *Cache) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	want, ok := fit(min, max, Granule)
	if !ok {
		return s, &failure{"cache", "resize", min, max, ErrNoMemory, nil}
	}
	least, _ := roundUp(min, Granule)
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.lookup(s)
	if e == nil {
		return s, foreign("cache", "resize", s)
	}
	if want < e.size {
		c.shrink(e, want)
	} else if want > e.size {
		c.growInto(e, least, want)
	}
	if e.size >= least {
		return e.segment(), nil
	}
	if n := e.next; e.prev == nil && (n == nil || n.state == idle && n.next == nil) {
		if c.growOver(e, least, want) {
			c.shed()
			return e.segment(), nil
		}
		return c.resizeMapping(e, least, want, fixed)
	}
	return s, errors.ErrUnsupported
}

// Join implements [Joiner], for neighbours in one mapping. For others the error is
// [errors.ErrUnsupported].
func (c *Cache) Join(a, b Segment) (Segment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, n := c.lookup(a), c.lookup(b)
	switch {
	case e == nil:
		return a, foreign("cache", "join", a)
	case n == nil:
		return a, foreign("cache", "join", b)
	case end(a) != n.base:
		return a, apart("cache", a, b)
	case e.next != n:
		return a, errors.ErrUnsupported
	}
	c.absorbNext(e)
	e.m.inUse--
	return e.segment(), nil
}

// Split implements [Joiner].
func (c *Cache) Split(s Segment, n int) (front, rest Segment, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.lookup(s)
	if e == nil {
		return s, Segment{}, foreign("cache", "split", s)
	}
	if _, _, ok := cut(s, n, Granule); !ok {
		return s, Segment{}, uncut("cache", n)
	}
	r := c.split(e, n)
	e.m.inUse++
	return e.segment(), r.segment(), nil
}

// shrink cuts e to size; the rest becomes idle.
func (c *Cache) shrink(e *extent, size int) {
	rest := c.split(e, size)
	rest.m.inUse++
	c.putIdle(rest)
	c.shed()
}

// growInto gives e as much of the idle memory behind it as brings it to want,
// if there is enough for least.
func (c *Cache) growInto(e *extent, least, want int) {
	n := e.next
	if n == nil || n.state != idle || e.size+n.size < least {
		return
	}
	c.removeIdle(n)
	if e.size+n.size > want {
		c.insertIdle(c.split(n, want-e.size))
	}
	c.absorbNext(e)
	e.m.fresh = larger(e.m.fresh, e.off+e.size)
}

// resizeMapping lets the upstream resize the mapping of which e is all, but for
// what is idle behind it. The lock is open meanwhile, and nothing may be known of the
// mapping: before this goroutine hears of it, the old addresses may be another's.
func (c *Cache) resizeMapping(e *extent, least, want int, fixed bool) (Segment, error) {
	m, old, size := e.m, e.m.seg, e.size
	var seg Segment
	var err error
	c.takeOut(e)
	c.outside(func() { seg, err = Resize(c.up, old, least, want, fixed) })
	if err == nil {
		c.heldBytes += seg.Size - old.Size
		c.transit += seg.Size - old.Size
		m.put(seg)
		m.fresh = m.size()
		e.committed = smaller(e.committed, e.size)
		size = want
	}
	c.bringBack(e, size)
	return e.segment(), err
}

// takeOut takes the mapping of e, of which e is all but for what is idle behind it, out
// of everything. All of the mapping is e's meanwhile.
func (c *Cache) takeOut(e *extent) {
	m := e.m
	if e.next != nil {
		c.removeIdle(e.next)
		c.absorbNext(e)
	}
	c.leaveIndex(m)
	m.unlink()
	m.inUse, e.state = 0, hidden
	c.transit += m.seg.Size
}

// bringBack undoes takeOut. e gets the first size bytes.
func (c *Cache) bringBack(e *extent, size int) {
	c.transit -= e.m.seg.Size
	c.enterIndex(e.m)
	if e.size > size {
		c.insertIdle(c.split(e, size))
	}
	c.use(e)
}
