package segment

// quarantine holds extents whose pages are inaccessible, in the order in which
// they came. They are hidden: neither idle nor a user's.
type quarantine struct {
	held  []*extent
	bytes int
}

// Quarantine implements [Quarantiner]. The pages are protected and discarded at
// the upstream; if it cannot do that, this is Release. A cache quarantines as many
// bytes as it may keep idle, but no more than 64 MiB, 32 MiB on 32-bit systems;
// what has been there longest becomes idle then. Drain ends all of it, and so does
// a request that cannot be served otherwise.
func (c *Cache) Quarantine(s Segment) error {
	c.mu.Lock()
	e := c.lookup(s)
	if e == nil {
		c.mu.Unlock()
		return foreign("cache", "quarantine", s)
	}
	// The lock is open meanwhile, and the extent hidden.
	_ = c.discardHidden(e) // pages that stay cost memory, no more
	m, off, n := e.m, e.off, e.size
	c.mu.Unlock()
	if Protect(c.up, m.seg, off, n, true) != nil {
		c.mu.Lock()
		e.state = inUse
		c.mu.Unlock()
		return c.Release(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quarantine.held = append(c.quarantine.held, e)
	c.quarantine.bytes += e.size
	c.endQuarantine(smaller(c.max, quarantineBytes), quarantineSegments)
	return nil
}

// endQuarantine makes those extents idle that have been in quarantine longest, until
// no more than the given bytes and segments are left. It ends with the first that
// the upstream does not make accessible again. The lock is open meanwhile.
func (c *Cache) endQuarantine(bytes, segments int) {
	for q := &c.quarantine; q.bytes > bytes || len(q.held) > segments; {
		e := q.held[0]
		q.held = q.held[1:]
		q.bytes -= e.size
		m, off, n := e.m, e.off, e.size
		c.mu.Unlock()
		err := Protect(c.up, m.seg, off, n, false)
		c.mu.Lock()
		if err != nil {
			c.stats.Failures++
			q.held = append(q.held, e)
			q.bytes += e.size
			return
		}
		c.putIdle(e)
	}
	c.shed()
}

// acquireQuarantined ends the quarantine and serves a request from what is idle
// then.
func (c *Cache) acquireQuarantined(least, want int) (Segment, bool) {
	c.mu.Lock()
	some := len(c.quarantine.held) > 0
	c.endQuarantine(0, 0)
	c.mu.Unlock()
	if !some {
		return Segment{}, false
	}
	return c.acquireAny(least, want)
}
