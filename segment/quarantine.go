package segment

import (
	"errors"
	"math/bits"
)

// Quarantiner is implemented by providers that can keep released segments out of
// use for a while. Decorators forward it as a release: whatever they count, the
// segment has been given back.
type Quarantiner interface {
	// Quarantine releases s, and then keeps its pages inaccessible for a while
	// instead of handing them out again: whoever still has an address in it meets
	// a memory fault and not somebody else's data. On error the caller still owns
	// s and may try again.
	Quarantine(s Segment) error
}

// Quarantine releases s, and keeps its pages inaccessible for a while where p can;
// see [Quarantiner].
func Quarantine(p Provider, s Segment) error {
	if q, ok := p.(Quarantiner); ok {
		return q.Quarantine(s)
	}
	return p.Release(s)
}

// Protector is implemented by providers that can make pages inaccessible.
// Decorators forward it, or return [errors.ErrUnsupported].
type Protector interface {
	// Protect makes the whole pages in the n bytes at offset off of s
	// inaccessible, or accessible again if off was protected before.
	Protect(s Segment, off, n int, inaccessible bool) error
}

// Protect makes pages of s inaccessible or accessible again; see [Protector]. It
// returns [errors.ErrUnsupported] where p cannot.
func Protect(p Provider, s Segment, off, n int, inaccessible bool) error {
	if g, ok := p.(Protector); ok {
		return g.Protect(s, off, n, inaccessible)
	}
	return errors.ErrUnsupported
}

// What a quarantine holds at most. A page that is held costs no memory, but
// addresses and, for each segment, one of the mappings that a system may bound.
const (
	quarantineSegments = 1024
	quarantineBytes    = 16 << 20 << (bits.UintSize / 32) // 64 MiB, 32 MiB on 32-bit systems
)

// Quarantine implements [Quarantiner]: it counts as a release.
func (c *Counter) Quarantine(s Segment) error {
	err := Quarantine(c.up, s)
	if c.count(&c.releases, err) {
		c.charge(-s.Size)
	}
	return err
}

// Protect implements [Protector]. It is not counted.
func (c *Counter) Protect(s Segment, off, n int, inaccessible bool) error {
	return Protect(c.up, s, off, n, inaccessible)
}

// Quarantine implements [Quarantiner]: it fails as a release would.
func (f *Failer) Quarantine(s Segment) error {
	if err := f.call("release", s.Size, s.Size); err != nil {
		return err
	}
	return Quarantine(f.up, s)
}

// Protect implements [Protector]. It is not counted.
func (f *Failer) Protect(s Segment, off, n int, inaccessible bool) error {
	return Protect(f.up, s, off, n, inaccessible)
}

// Quarantine implements [Quarantiner].
func (c *chain) Quarantine(s Segment) error {
	l, n := c.strike(s)
	if n == 0 {
		return foreign("chain", "quarantine", s)
	}
	err := Quarantine(c.owner(l), s)
	if err != nil {
		c.enter(l.first, s)
	}
	return err
}

// Protect implements [Protector].
func (c *chain) Protect(s Segment, off, n int, inaccessible bool) error {
	owner := c.ownerOf(s)
	if owner == nil {
		return foreign("chain", "protect", s)
	}
	return Protect(owner, s, off, n, inaccessible)
}

// Quarantine implements [Quarantiner]. The segment is charged no longer.
func (b *Budget) Quarantine(s Segment) error {
	if err := Quarantine(b.up, s); err != nil {
		return err
	}
	b.charge(-s.Size)
	_ = b.tree.retry() // what is refused again stays charged
	return nil
}

// Protect implements [Protector].
func (b *Budget) Protect(s Segment, off, n int, inaccessible bool) error {
	return Protect(b.up, s, off, n, inaccessible)
}
