package segtest

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// Restless is a provider that resizes. Of the segments that grow and may move every
// second one does; the others stay while there is room for half as much again.
type Restless struct {
	up   segment.Provider
	unit int

	mu     sync.Mutex
	from   map[raw.Addr]segment.Segment // the upstream's, by the address handed out
	grown  int                          // segments that have grown
	moved  int                          // and of these have moved
	places int                          // handed out so far
}

// NewRestless returns a Restless whose sizes are multiples of unit, a power of two
// and at least 16. Addresses are multiples of 16, and nothing more: what a segment
// was aligned to by chance is lost when it moves. up must hand out usable memory and
// take back what it gave.
func NewRestless(up segment.Provider, unit int) *Restless {
	return &Restless{up: up, unit: unit, from: map[raw.Addr]segment.Segment{}}
}

// Grown returns how many segments have grown, and how many of these have moved.
func (r *Restless) Grown() (all, moved int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grown, r.moved
}

// Acquire implements segment.Provider.
func (r *Restless) Acquire(min, max int) (segment.Segment, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.fit(min, max)
	if !ok {
		return segment.Segment{}, fmt.Errorf("segtest: restless %d to %d bytes: %w", min, max, segment.ErrNoMemory)
	}
	return r.place(n)
}

// places and step: a segment begins at one of several multiples of 16.
const (
	places = 64
	step   = 16
)

// place takes a segment of n bytes from the upstream.
func (r *Restless) place(n int) (segment.Segment, error) {
	u, err := r.up.Acquire(n+n/2+places*step, n+n/2+places*step)
	if err != nil {
		return u, err
	}
	r.places++
	base := raw.AddrOf(u.Base) + raw.Addr(r.places*7%places*step)
	r.from[base] = u
	return segment.Segment{Base: base.Pointer(), Size: n, Zeroed: u.Zeroed}, nil
}

// fit returns the largest multiple of the unit up to max, or min rounded up.
func (r *Restless) fit(min, max int) (int, bool) {
	if min <= 0 || max < min || min > math.MaxInt/4 {
		return 0, false
	}
	if max > 64<<20 { // what is only wished for must fit the Go heap
		max = min
	}
	if n := max &^ (r.unit - 1); n >= min {
		return n, true
	}
	return (min + r.unit - 1) &^ (r.unit - 1), true
}

// Most implements segment.Sizer.
func (r *Restless) Most(min, max int) int {
	if n, ok := r.fit(min, max); ok {
		return n
	}
	return max
}

// Release implements segment.Provider.
func (r *Restless) Release(s segment.Segment) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	base := raw.AddrOf(s.Base)
	u, ok := r.from[base]
	if !ok {
		return fmt.Errorf("segtest: %#x: %w", base, segment.ErrForeign)
	}
	delete(r.from, base)
	return r.up.Release(u)
}

// Resize implements segment.Resizer.
func (r *Restless) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.from[raw.AddrOf(s.Base)]
	if !ok {
		return s, fmt.Errorf("segtest: %p: %w", s.Base, segment.ErrForeign)
	}
	n, ok := r.fit(min, max)
	if !ok {
		return s, fmt.Errorf("segtest: restless %d to %d bytes: %w", min, max, segment.ErrNoMemory)
	}
	room := u.Size - int(raw.AddrOf(s.Base)-raw.AddrOf(u.Base))
	if n > s.Size {
		r.grown++
	}
	if n <= s.Size || n <= room && (fixed || r.grown%2 == 1) {
		return segment.Segment{Base: s.Base, Size: n}, nil
	}
	if fixed {
		return s, errors.ErrUnsupported
	}
	m, err := r.place(n)
	if err != nil {
		return s, err
	}
	r.moved++
	copy(bytesOf(m), bytesOf(s))
	Fill(s, 0xEE) // whoever still looks there shall see it
	delete(r.from, raw.AddrOf(s.Base))
	return segment.Segment{Base: m.Base, Size: m.Size}, r.up.Release(u)
}

// Discard implements segment.Discarder.
func (r *Restless) Discard(s segment.Segment, off, n int) error {
	if off < 0 || n < 0 || off > s.Size-n {
		return fmt.Errorf("segtest: discard %d+%d of %d bytes: %w", off, n, s.Size, segment.ErrForeign)
	}
	return errors.ErrUnsupported
}
