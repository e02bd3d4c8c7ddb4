package segment

import (
	"errors"
	"fmt"
)

// acquireMapping serves a request for which nothing idle fits well.
func (c *Cache) acquireMapping(least, want int) (Segment, error) {
	if want >= c.joinFrom {
		if s, ok := c.acquireJoined(want); ok {
			return s, nil
		}
	}
	seg, err := c.up.Acquire(least, larger(want, c.unit))
	if err == nil {
		return c.adopt(seg, want), nil
	}
	if s, ok := c.acquireAny(least, want); ok {
		return s, nil
	}
	if least < want || want < c.joinFrom { // not tried yet
		if s, ok := c.acquireJoined(least); ok {
			return s, nil
		}
	}
	// A whole mapping may be too much where the bare need is not; or the
	// upstream lacks what is idle here.
	if seg, err = c.up.Acquire(least, least); err != nil {
		if s, ok := c.acquireQuarantined(least, want); ok {
			return s, nil
		}
		c.drainSpare()
		seg, err = c.up.Acquire(least, least)
	}
	if err != nil {
		return Segment{}, err
	}
	return c.adopt(seg, want), nil
}

// acquireAny serves a request from anything idle that is large enough.
func (c *Cache) acquireAny(least, want int) (Segment, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serve(c.anyFit(least, want), want)
}

// adopt makes seg, fresh from the upstream, a mapping, and returns the first
// want bytes of it.
func (c *Cache) adopt(seg Segment, want int) Segment {
	m := new(mapping)
	m.put(seg)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers.give(&m.first)
	c.enterIndex(m)
	c.heldBytes += seg.Size
	c.stats.Misses++
	s := c.carve(&m.first, smaller(want, m.size()))
	c.shed()
	c.count(1)
	return s
}

// shed gives mappings back while too much is idle. It ends with the first that
// the upstream refuses, so that one Release pays for one refusal at most.
func (c *Cache) shed() {
	for c.idleBytes > c.max && !c.spare.empty() {
		if c.releaseOldest() != nil {
			return
		}
	}
}

// releaseOldest gives the mapping that has been idle longest to the upstream.
// If that fails the mapping stays, as the youngest, and loses its pages. The
// lock is open meanwhile.
func (c *Cache) releaseOldest() error {
	m := c.spare.front()
	c.hide(m)
	var err error
	c.outside(func() {
		if err = c.up.Release(m.seg); err != nil && m.fresh > 0 {
			err = errors.Join(err, c.discard(m, 0, m.fresh))
		}
	})
	if err != nil {
		c.stats.Failures++
		c.show(m)
		c.rest(m)
		return err
	}
	c.stats.Evictions++
	c.transit -= m.seg.Size
	c.heldBytes -= m.seg.Size
	c.numbers.take(&m.first)
	return nil
}

// hide takes m, which is all idle, out of everything while the upstream is asked about
// it: its addresses may be another's before we hear of it.
func (c *Cache) hide(m *mapping) {
	m.unlink()
	c.removeIdle(&m.first)
	c.leaveIndex(m)
	c.transit += m.seg.Size
}

// show undoes hide, but for the ring.
func (c *Cache) show(m *mapping) {
	c.transit -= m.seg.Size
	c.enterIndex(m)
	c.insertIdle(&m.first)
}

// drainSpare gives every mapping that is all idle to the upstream, trying each
// once, and returns what failed.
func (c *Cache) drainSpare() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endQuarantine(0, 0)
	count := 0
	c.spare.each(func(*mapping) bool { count++; return true })
	failed, bytes, first := 0, 0, error(nil)
	for ; count > 0 && !c.spare.empty(); count-- {
		size := c.spare.front().seg.Size
		if err := c.releaseOldest(); err != nil {
			failed, bytes = failed+1, bytes+size
			if first == nil {
				first = err
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("segment: cache: drain: kept %d mappings of %d bytes: %w", failed, bytes, first)
	}
	return nil
}

// Drain gives back to the upstream all that it can: mappings that are all
// idle, and, where the upstream can discard, the pages of what is idle in the
// others. Then it drains the upstream. It returns what failed. What could not be
// given back stays in the cache, to be used or given back later.
//
// Segments released during Drain may stay idle. Its cost is that of the
// upstream's calls, one for each mapping or idle extent.
func (c *Cache) Drain() error {
	return errors.Join(c.drainSpare(), c.discardLive(), Drain(c.up))
}

// discardLive discards the idle pages of mappings that are in use. The ring
// turns, so that the lock can be open while the upstream works; a mapping's
// epoch tells that it had its turn.
func (c *Cache) discardLive() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unused = nil
	c.epoch++
	epoch := c.epoch
	var first error
	for m := c.live.front(); m != nil && m.epoch < epoch; m = c.live.front() {
		m.epoch = epoch
		c.live.moveBack(m)
		if err := c.discardIdle(m); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// discardIdle discards the idle pages of m. Those that were never handed out
// are left alone: they have no memory yet, and are known to be zero. The lock
// is open meanwhile.
func (c *Cache) discardIdle(m *mapping) error {
	var hide []*extent
	for e := &m.first; e != nil && e.off < m.fresh; e = e.next {
		if e.state != idle {
			continue
		}
		c.removeIdle(e)
		if touched := m.fresh - e.off; e.size > touched {
			c.insertIdle(c.split(e, touched))
		}
		c.use(e)
		e.state = hidden
		hide = append(hide, e)
	}
	var first error
	for _, e := range hide {
		if err := c.discardHidden(e); err != nil && first == nil {
			first = err
		}
		c.putIdle(e)
	}
	return first
}

// discardHidden discards the pages of e, which is not idle, and hides it from
// everybody until the caller puts it back. The lock is open meanwhile.
func (c *Cache) discardHidden(e *extent) error {
	e.state = hidden
	var err error
	c.outside(func() { err = c.discard(e.m, e.off, e.size) })
	if err != nil {
		c.stats.Failures++
	}
	return err
}

// discard returns nil also where the upstream cannot discard.
func (c *Cache) discard(m *mapping, off, n int) error {
	if err := Discard(c.up, m.seg, off, n); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
