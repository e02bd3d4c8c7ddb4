package segment

import (
	"math"
	"time"
)

// defaultDecay is the decay of the cache that the process shares. It is long against
// the pauses of a program at work, in which memory would be given back only to be
// faulted in again, and short against what an operator waits for before looking at
// the resident size. jemalloc decays in the same time.
const defaultDecay = 10 * time.Second

// decayCalls is how many segments come or go between two looks at the clock, each of
// which costs about as much as one of them.
const decayCalls = 16

// decay is what a cache knows of time. It counts periods: a new one begins with the
// first look at the clock after the last one is over, however long ago that was. A
// mapping notes the period in which it became idle, and is given back in the second
// one after that. So nothing goes too early, though the clock is rarely read.
type decay struct {
	after  time.Duration // length of a period at least; 0 if nothing decays
	began  time.Duration // the present one, as clock tells
	period uint32
	calls  int // until the next look

	clock func() time.Duration
}

var started = time.Now()

func (d *decay) init() {
	d.calls = math.MaxInt
	d.clock = func() time.Duration { return time.Since(started) }
}

// SetDecay makes the cache give back mappings that have been idle for longer than d,
// for twice that at most; with d of 0 or less, as for a new cache, it keeps them while
// they are within its bound. What is idle in a mapping that is in use does not decay.
//
// There is no goroutine for it: it happens in calls of Acquire and Release, which give
// back one mapping each at most. A cache that nobody calls keeps what it has; see
// [Cache.Drain].
func (c *Cache) SetDecay(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decay.after = max(d, 0)
	c.decay.began = c.decay.clock()
	if c.decay.calls = decayCalls; d <= 0 {
		c.decay.calls = math.MaxInt
	}
}

// count adds n segments that came or went, and now and then lets one mapping decay.
// The lock is open meanwhile.
func (c *Cache) count(n int) {
	if c.decay.calls -= n; c.decay.calls <= 0 {
		c.decayOne()
	}
}

// decayOne looks at the clock and gives the mapping back that has been idle longest,
// if that is long enough. If there is another one the next call does the same.
func (c *Cache) decayOne() {
	d := &c.decay
	d.calls = decayCalls
	if now := d.clock(); now-d.began >= d.after {
		d.period++
		d.began = now
	}
	if !c.decayed() {
		return
	}
	_ = c.releaseOldest() // if it is refused it counts as idle from now on
	if c.decayed() {
		d.calls = 0
	}
}

// decayed reports whether there is a mapping that has been idle for long enough.
func (c *Cache) decayed() bool {
	m := c.spare.front()
	return m != nil && c.decay.after > 0 && c.decay.period-m.idleSince >= 2
}

// rest puts m, which is all idle, behind those that have been so for longer.
func (c *Cache) rest(m *mapping) {
	m.idleSince = c.decay.period
	c.spare.moveBack(m)
}
