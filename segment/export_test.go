package segment

import "time"

// SetClock makes clock tell c the time, before the first SetDecay.
func (c *Cache) SetClock(clock func() time.Duration) { c.decay.clock = clock }

// Decay returns what SetDecay has set.
func (c *Cache) Decay() time.Duration { return c.decay.after }

// SetUnit makes n the least size of new mappings, and of those that are split off.
func (c *Cache) SetUnit(n int) { c.unit = n }

// JoinFrom makes n the bytes of a request for which c joins mappings, and returns c.
func (c *Cache) JoinFrom(n int) *Cache { c.joinFrom = n; return c }

// Look searches for mappings that have n bytes when they are joined.
func (c *Cache) Look(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.findRun(n) != nil
}
