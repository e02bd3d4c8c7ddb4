package segment

import "errors"

// ReleaseMany implements [ManyReleaser].
func (c *Cache) ReleaseMany(ss []Segment) (refused []Segment, err error) {
	refused, kept := c.keepMany(ss)
	if !kept { // something must go; Release knows what
		return releaseEach(c, ss)
	}
	for _, s := range refused {
		err = errors.Join(err, foreign("cache", "release", s))
	}
	return refused, err
}

// keepMany is ReleaseMany if all of ss can be kept.
func (c *Cache) keepMany(ss []Segment) (refused []Segment, kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idleBytes+bytesOf(ss) > c.max {
		return nil, false
	}
	refused = c.takeBack(ss)
	c.count(len(ss))
	return refused, true
}

// takeBack makes the extents that were handed out as ss idle. It returns the
// segments for which there is none, in the place of the first of ss.
//
// Whoever drops a large heap has run through much memory, and nothing of the cache is
// near the processor. Each step therefore reads one thing of all segments before the
// next begins: the processor then waits for several of them at once.
func (c *Cache) takeBack(ss []Segment) (refused []Segment) {
	all := c.batch[:0]
	for _, s := range ss {
		all = append(all, c.numbers.hinted(s))
	}
	refused, found := ss[:0], all[:0]
	for i, e := range all {
		if !e.isOut(ss[i]) {
			if e = c.search(ss[i]); e == nil {
				refused = append(refused, ss[i])
				continue
			}
		}
		e.state = hidden // and is not found twice
		found = append(found, e)
	}
	c.putAllIdle(found)
	clear(all)
	c.batch = all
	return refused
}

// putAllIdle puts hidden extents into the idle set, each run of neighbours as one.
func (c *Cache) putAllIdle(es []*extent) {
	for i := 0; i < len(es); {
		e := es[i]
		for i++; i < len(es) && es[i] == e.next; i++ {
			c.absorbNext(e)
			e.m.inUse--
		}
		c.putIdle(e)
	}
}
