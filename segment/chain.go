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
	owner Provider
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
		c.enter(s, c.first)
		return s, nil
	}
	s, err2 := c.then.Acquire(min, max)
	if err2 != nil {
		return Segment{}, &failure{"chain", "acquire", min, max, err2, err}
	}
	c.enter(s, c.then)
	return s, nil
}

// Release implements [Provider].
func (c *chain) Release(s Segment) error {
	owner := c.strike(s)
	if owner == nil {
		return foreign("chain", "release", s)
	}
	err := owner.Release(s)
	if err != nil {
		c.enter(s, owner)
	}
	return err
}

// Resize implements [Resizer]. A segment does not move from one provider to the
// other.
func (c *chain) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	owner := c.strike(s)
	if owner == nil {
		return s, foreign("chain", "resize", s)
	}
	r, err := Resize(owner, s, min, max, fixed)
	c.enter(r, owner)
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

// enter writes down that s is out.
func (c *chain) enter(s Segment, owner Provider) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out[raw.AddrOf(s.Base)] = link{s.Size, owner}
}

// strike takes s off the books and returns its owner, nil if it is not out. It
// comes before the owner hears of a release, as the same address may be handed
// out to another goroutine at once.
func (c *chain) strike(s Segment) Provider {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.out[raw.AddrOf(s.Base)]
	if l.owner == nil || l.size != s.Size {
		return nil
	}
	delete(c.out, raw.AddrOf(s.Base))
	return l.owner
}

// ownerOf returns the owner of s, nil if it is not out.
func (c *chain) ownerOf(s Segment) Provider {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.out[raw.AddrOf(s.Base)]; l.size == s.Size {
		return l.owner
	}
	return nil
}
