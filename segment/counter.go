package segment

import "sync/atomic"

// Counter counts the calls that pass through it to another provider, and the
// bytes that are out. Its methods may be called at any time by any goroutine.
type Counter struct {
	up Provider

	acquires, releases, failures atomic.Int64
	resizes, discards, commits   atomic.Int64
	joins, splits                atomic.Int64
	bytes, peak                  atomic.Int64
}

// Counting returns a counter over up. Calls that fail are passed on too.
func Counting(up Provider) *Counter { return &Counter{up: up} }

// Acquires returns the number of segments acquired so far.
func (c *Counter) Acquires() int { return int(c.acquires.Load()) }

// Releases returns the number of segments released so far.
func (c *Counter) Releases() int { return int(c.releases.Load()) }

// Resizes returns the number of resizes that succeeded.
func (c *Counter) Resizes() int { return int(c.resizes.Load()) }

// Joins returns the number of joins that succeeded.
func (c *Counter) Joins() int { return int(c.joins.Load()) }

// Splits returns the number of splits that succeeded.
func (c *Counter) Splits() int { return int(c.splits.Load()) }

// Discards returns the number of discards that succeeded.
func (c *Counter) Discards() int { return int(c.discards.Load()) }

// Commits returns the number of commits that succeeded.
func (c *Counter) Commits() int { return int(c.commits.Load()) }

// Failures returns the number of calls of any kind that failed, those that the
// upstream does not support included.
func (c *Counter) Failures() int { return int(c.failures.Load()) }

// Calls returns the number of calls of any kind, failed ones included.
func (c *Counter) Calls() int {
	return c.Acquires() + c.Releases() + c.Resizes() + c.Joins() + c.Splits() + c.Discards() + c.Commits() + c.Failures()
}

// Bytes returns the bytes acquired and not yet released.
func (c *Counter) Bytes() int { return int(c.bytes.Load()) }

// PeakBytes returns the largest value that Bytes has had.
func (c *Counter) PeakBytes() int { return int(c.peak.Load()) }

// Acquire implements [Provider].
func (c *Counter) Acquire(min, max int) (Segment, error) {
	s, err := c.up.Acquire(min, max)
	if c.count(&c.acquires, err) {
		c.charge(s.Size)
	}
	return s, err
}

// Release implements [Provider].
func (c *Counter) Release(s Segment) error {
	err := c.up.Release(s)
	if c.count(&c.releases, err) {
		c.charge(-s.Size)
	}
	return err
}

// Resize implements [Resizer].
func (c *Counter) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	r, err := Resize(c.up, s, min, max, fixed)
	if c.count(&c.resizes, err) {
		c.charge(r.Size - s.Size)
	}
	return r, err
}

// Discard implements [Discarder].
func (c *Counter) Discard(s Segment, off, n int) error {
	err := Discard(c.up, s, off, n)
	c.count(&c.discards, err)
	return err
}

// Commit implements [Committer].
func (c *Counter) Commit(s Segment, off, n int) error {
	err := Commit(c.up, s, off, n)
	c.count(&c.commits, err)
	return err
}

// Drain implements [Drainer]. It is not counted: what the upstream gives back
// by itself was not acquired through here.
func (c *Counter) Drain() error { return Drain(c.up) }

// NeedsCommit implements [NeedsCommitter].
func (c *Counter) NeedsCommit() bool { _, ok := CommitterOf(c.up); return ok }

// count adds a call to calls or to the failures, and reports whether it
// succeeded.
func (c *Counter) count(calls *atomic.Int64, err error) bool {
	if err != nil {
		c.failures.Add(1)
		return false
	}
	calls.Add(1)
	return true
}

// charge adds n, which may be negative, to the live bytes.
func (c *Counter) charge(n int) {
	live := c.bytes.Add(int64(n))
	for peak := c.peak.Load(); live > peak; peak = c.peak.Load() {
		if c.peak.CompareAndSwap(peak, live) {
			return
		}
	}
}
