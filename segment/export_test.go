package segment

import "time"

// SetClock makes clock tell c the time, before the first SetDecay.
func (c *Cache) SetClock(clock func() time.Duration) { c.decay.clock = clock }

// Decay returns what SetDecay has set.
func (c *Cache) Decay() time.Duration { return c.decay.after }
