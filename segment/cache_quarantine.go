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
	defer c.mu.Unlock()
	e := c.lookup(s)
	if e == nil {
		return foreign("cache", "quarantine", s)
	}
	// The lock is open meanwhile, and the extent hidden.
	_ = c.discardHidden(e) // pages that stay cost memory, no more
	m, off, n := e.m, e.off, e.size
	var err error
	c.outside(func() { err = Protect(c.up, m.seg, off, n, true) })
	if err != nil {
		e.state = inUse
		c.outside(func() { err = c.Release(s) })
		return err
	}
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
		var err error
		c.outside(func() { err = Protect(c.up, m.seg, off, n, false) })
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
	if !c.emptyQuarantine() {
		return Segment{}, false
	}
	return c.acquireAny(least, want)
}

// emptyQuarantine ends the quarantine and reports whether anything was in it.
func (c *Cache) emptyQuarantine() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	some := len(c.quarantine.held) > 0
	c.endQuarantine(0, 0)
	return some
}
