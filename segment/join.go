package segment

import (
	"errors"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// Joiner is implemented by providers that take back any run of the pages that they
// gave: neighbours can become one segment, and a segment two. Decorators forward it,
// or return [errors.ErrUnsupported]. A provider that can join nothing at all says
// that of everything, the zero Segment included.
//
// What the memory holds stays as it is. No result says that it is zero: the provider
// does not know what was written.
type Joiner interface {
	// Join returns the segment that consists of a and of b, which begins where a
	// ends. Both must be out; they are no segments of their own any longer. On error
	// they are, and the result is a.
	Join(a, b Segment) (Segment, error)

	// Split cuts s into its first n bytes and the rest, neither of which may be
	// empty. n must be a multiple of what the provider's sizes are multiples of. On
	// error s is as it was, and the first result.
	Split(s Segment, n int) (front, rest Segment, err error)
}

// Join makes a and b, which begins where a ends, one segment; see [Joiner]. It returns
// a and an error that is [errors.ErrUnsupported] where p cannot.
func Join(p Provider, a, b Segment) (Segment, error) {
	if j, ok := p.(Joiner); ok {
		return j.Join(a, b)
	}
	return a, errors.ErrUnsupported
}

// Split cuts s into its first n bytes and the rest; see [Joiner]. It returns s and an
// error that is [errors.ErrUnsupported] where p cannot.
func Split(p Provider, s Segment, n int) (front, rest Segment, err error) {
	if j, ok := p.(Joiner); ok {
		return j.Split(s, n)
	}
	return s, Segment{}, errors.ErrUnsupported
}

var (
	errApart = errors.New("the second does not begin where the first ends")
	errPlace = errors.New("it cannot be cut there")
)

// apart is the error for two segments that are no neighbours.
func apart(provider string, a, b Segment) error {
	return &failure{provider, "join", a.Size + b.Size, a.Size + b.Size, ErrForeign, errApart}
}

// uncut is the error for a place at which a segment cannot be cut.
func uncut(provider string, n int) error {
	return &failure{provider, "split", n, n, ErrForeign, errPlace}
}

// joined returns the segment that a and b are together, and whether they touch.
func joined(a, b Segment) (Segment, bool) {
	return Segment{Base: a.Base, Size: a.Size + b.Size}, end(a) == raw.AddrOf(b.Base)
}

// end returns the address behind s.
func end(s Segment) raw.Addr { return raw.AddrOf(s.Base) + raw.Addr(s.Size) }

// cut returns the first n bytes of s and the rest. It reports false if one of them is
// empty, or if n is no multiple of unit, a power of two.
func cut(s Segment, n, unit int) (front, rest Segment, ok bool) {
	if n <= 0 || n >= s.Size || n&(unit-1) != 0 {
		return s, Segment{}, false
	}
	at := raw.AddrOf(s.Base) + raw.Addr(n)
	return Segment{Base: s.Base, Size: n}, Segment{Base: at.Pointer(), Size: s.Size - n}, true
}

// Join implements [Joiner]. The bytes that are out stay the same.
func (c *Counter) Join(a, b Segment) (Segment, error) {
	s, err := Join(c.up, a, b)
	c.count(&c.joins, err)
	return s, err
}

// Split implements [Joiner].
func (c *Counter) Split(s Segment, n int) (front, rest Segment, err error) {
	front, rest, err = Split(c.up, s, n)
	c.count(&c.splits, err)
	return front, rest, err
}

// Join implements [Joiner].
func (f *Failer) Join(a, b Segment) (Segment, error) {
	if err := f.call("join", a.Size+b.Size, a.Size+b.Size); err != nil {
		return a, err
	}
	return Join(f.up, a, b)
}

// Split implements [Joiner].
func (f *Failer) Split(s Segment, n int) (front, rest Segment, err error) {
	if err := f.call("split", n, n); err != nil {
		return s, Segment{}, err
	}
	return Split(f.up, s, n)
}

// Join implements [Joiner]. Both segments must be of the same budget, and nothing
// changes for it.
func (b *Budget) Join(s, t Segment) (Segment, error) { return Join(b.up, s, t) }

// Split implements [Joiner].
func (b *Budget) Split(s Segment, n int) (front, rest Segment, err error) { return Split(b.up, s, n) }

// Join implements [Joiner]: where both have one owner, and that can.
func (c *chain) Join(a, b Segment) (Segment, error) {
	l, n := c.strike(a, b)
	if n == 0 {
		return a, foreign("chain", "join", a)
	}
	if n == 1 {
		c.enter(l.first, a)
		if c.ownerOf(b) == nil {
			return a, foreign("chain", "join", b)
		}
		return a, errors.ErrUnsupported
	}
	s, err := Join(c.owner(l), a, b)
	if err != nil {
		c.enter(l.first, a, b)
		return a, err
	}
	c.enter(l.first, s)
	return s, nil
}

// Split implements [Joiner].
func (c *chain) Split(s Segment, n int) (front, rest Segment, err error) {
	l, out := c.strike(s)
	if out == 0 {
		return s, Segment{}, foreign("chain", "split", s)
	}
	front, rest, err = Split(c.owner(l), s, n)
	if err != nil {
		c.enter(l.first, s)
		return s, Segment{}, err
	}
	c.enter(l.first, front, rest)
	return front, rest, nil
}
