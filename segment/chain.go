package segment

import (
	"errors"
	"sync"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// chain is two providers, and what is out from which.
type chain struct {
	first, then Provider

	mu  sync.Mutex
	out map[raw.Addr]link
}

// link is one segment that is out.
type link struct {
	size  int
	first bool // the owner is first, not then
}

// Chain returns a provider that asks first, and then asks then for what first
// refuses. A fixed buffer in front of the system serves small contexts without
// a call of it:
//
//	p := segment.Chain(segment.Fixed(buf), segment.Default())
//
// A segment goes back to where it came from, and so do Resize, Discard and
// Commit, which are [errors.ErrUnsupported] where that one cannot. For that the
// chain writes down every segment that is out, and anything else is
// [ErrForeign]. If both refuse, the error wraps both reasons.
func Chain(first, then Provider) Provider {
	return &chain{first: first, then: then, out: map[raw.Addr]link{}}
}

// Acquire implements [Provider].
func (c *chain) Acquire(min, max int) (Segment, error) {
	s, err := c.first.Acquire(min, max)
	if err == nil {
		c.enter(true, s)
		return s, nil
	}
	s, err2 := c.then.Acquire(min, max)
	if err2 != nil {
		return Segment{}, &failure{"chain", "acquire", min, max, err2, err}
	}
	c.enter(false, s)
	return s, nil
}

// Release implements [Provider].
func (c *chain) Release(s Segment) error {
	l, n := c.strike(s)
	if n == 0 {
		return foreign("chain", "release", s)
	}
	err := c.owner(l).Release(s)
	if err != nil {
		c.enter(l.first, s)
	}
	return err
}

// ReleaseMany implements [ManyReleaser]: each run of segments with one owner goes to
// it together. In the order of addresses there are few runs.
func (c *chain) ReleaseMany(ss []Segment) (refused []Segment, err error) {
	refused = ss[:0]
	for len(ss) > 0 {
		var e error
		l, n := c.strike(ss...)
		run := ss[:max(n, 1)]
		ss = ss[len(run):]
		if n == 0 {
			e = foreign("chain", "release", run[0])
		} else {
			run, e = ReleaseMany(c.owner(l), run)
			c.enter(l.first, run...)
		}
		refused, err = append(refused, run...), errors.Join(err, e)
	}
	return refused, err
}

// Resize implements [Resizer]. A segment does not move from one provider to the
// other.
func (c *chain) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	l, n := c.strike(s)
	if n == 0 {
		return s, foreign("chain", "resize", s)
	}
	r, err := Resize(c.owner(l), s, min, max, fixed)
	c.enter(l.first, r)
	return r, err
}

// Discard implements [Discarder].
func (c *chain) Discard(s Segment, off, n int) error {
	owner := c.ownerOf(s)
	if owner == nil {
		return foreign("chain", "discard", s)
	}
	return Discard(owner, s, off, n)
}

// Commit implements [Committer]. It does nothing for segments of a provider
// that does not need it.
func (c *chain) Commit(s Segment, off, n int) error {
	owner := c.ownerOf(s)
	if owner == nil {
		return foreign("chain", "commit", s)
	}
	return Commit(owner, s, off, n)
}

// NeedsCommit implements [NeedsCommitter].
func (c *chain) NeedsCommit() bool {
	_, first := CommitterOf(c.first)
	_, then := CommitterOf(c.then)
	return first || then
}

// Drain implements [Drainer].
func (c *chain) Drain() error { return errors.Join(Drain(c.first), Drain(c.then)) }

// enter writes down that segments of first, or of then, are out.
func (c *chain) enter(first bool, ss ...Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range ss {
		c.out[raw.AddrOf(s.Base)] = link{s.Size, first}
	}
}

// strike takes segments off the books, as many from the beginning of ss as are out
// and have one owner, and returns how many they are. It comes before the owner hears
// of a release, as the same address may be handed out to another goroutine at once.
func (c *chain) strike(ss ...Segment) (of link, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range ss {
		base := raw.AddrOf(s.Base)
		l, out := c.out[base]
		if !out || l.size != s.Size || count > 0 && l.first != of.first {
			break
		}
		delete(c.out, base)
		of = l
		count++
	}
	return of, count
}

// owner returns the provider that a link leads to.
func (c *chain) owner(l link) Provider {
	if l.first {
		return c.first
	}
	return c.then
}

// ownerOf returns the owner of s, nil if it is not out.
func (c *chain) ownerOf(s Segment) Provider {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, out := c.out[raw.AddrOf(s.Base)]; out && l.size == s.Size {
		return c.owner(l)
	}
	return nil
}
