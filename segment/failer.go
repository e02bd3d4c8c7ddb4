package segment

import (
	"errors"
	"math"
	"sync/atomic"
)

// errInjected is the cause of every failure that a Failer makes.
var errInjected = errors.New("injected failure")

// Failer passes calls on to another provider, except those that it was told to
// fail. It is for tests of what happens when memory runs out, or cannot be
// given back, in the middle of something.
//
// Acquire, Release, Resize, Join, Split, Discard and Commit all count, in the order in
// which they arrive. A call that is failed does not reach the upstream and returns an
// error that wraps [ErrNoMemory].
type Failer struct {
	up          Provider
	first, last int64 // 1-based numbers of the calls to fail
	calls       atomic.Int64
	failed      atomic.Int64
	healed      atomic.Bool
}

// Failing returns a Failer over up that fails the nth call, counted from 1,
// and no other. With nth of 0 or less nothing fails.
func Failing(up Provider, nth int) *Failer {
	return &Failer{up: up, first: int64(nth), last: int64(nth)}
}

// FailingFrom returns a Failer over up that fails the nth call, counted from
// 1, and all later ones until Heal. With nth of 0 or less nothing fails.
func FailingFrom(up Provider, nth int) *Failer {
	f := Failing(up, nth)
	if nth > 0 {
		f.last = math.MaxInt64
	}
	return f
}

// Failed reports whether a call has been failed. A loop over nth ends when
// none was.
func (f *Failer) Failed() bool { return f.failed.Load() > 0 }

// Calls returns the number of calls so far, failed ones included.
func (f *Failer) Calls() int { return int(f.calls.Load()) }

// Heal ends all failures.
func (f *Failer) Heal() { f.healed.Store(true) }

// Acquire implements [Provider].
func (f *Failer) Acquire(min, max int) (Segment, error) {
	if err := f.call("acquire", min, max); err != nil {
		return Segment{}, err
	}
	return f.up.Acquire(min, max)
}

// Release implements [Provider].
func (f *Failer) Release(s Segment) error {
	if err := f.call("release", s.Size, s.Size); err != nil {
		return err
	}
	return f.up.Release(s)
}

// Resize implements [Resizer].
func (f *Failer) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	if err := f.call("resize", min, max); err != nil {
		return s, err
	}
	return Resize(f.up, s, min, max, fixed)
}

// Discard implements [Discarder].
func (f *Failer) Discard(s Segment, off, n int) error {
	if err := f.call("discard", n, n); err != nil {
		return err
	}
	return Discard(f.up, s, off, n)
}

// Commit implements [Committer].
func (f *Failer) Commit(s Segment, off, n int) error {
	if err := f.call("commit", n, n); err != nil {
		return err
	}
	return Commit(f.up, s, off, n)
}

// Drain implements [Drainer]. It is not counted, as it may succeed in part.
func (f *Failer) Drain() error { return Drain(f.up) }

// NeedsCommit implements [NeedsCommitter].
func (f *Failer) NeedsCommit() bool { _, ok := CommitterOf(f.up); return ok }

// call counts one call and returns the error it is to fail with, if any.
func (f *Failer) call(op string, min, max int) error {
	nth := f.calls.Add(1)
	if nth < f.first || nth > f.last || f.healed.Load() {
		return nil
	}
	f.failed.Add(1)
	return &failure{"failing", op, min, max, ErrNoMemory, errInjected}
}
