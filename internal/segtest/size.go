package segtest

import (
	"errors"

	"github.com/cookmem-go/cookmem/segment"
)

type generous struct {
	forward
	extra int
}

// Generous returns a provider of segments that are extra bytes larger than max,
// as a system with large units may give them, and does not tell so before. Beyond
// 64 MiB it gives what was asked for.
func Generous(up segment.Provider, extra int) segment.Provider {
	return generous{forward{up}, extra}
}

func (g generous) Acquire(min, max int) (segment.Segment, error) {
	if 0 < min && min <= max && max <= 64<<20 {
		min, max = max+g.extra, max+g.extra
	}
	return g.up.Acquire(min, max)
}

func (g generous) Most(_, max int) int { return max }

type stingy struct{ forward }

// Stingy returns a provider that never gives more than min, as far as its
// upstream's unit allows.
func Stingy(up segment.Provider) segment.Provider { return stingy{forward{up}} }

func (p stingy) Acquire(min, max int) (segment.Segment, error) {
	if max >= min {
		max = min
	}
	return p.up.Acquire(min, max)
}

func (p stingy) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	if max >= min {
		max = min
	}
	return segment.Resize(p.up, s, min, max, fixed)
}

type dirty struct{ forward }

// Dirty returns a provider whose segments are full of 0xA5 and not known to be
// zero. Its upstream must hand out usable memory: no reservations.
func Dirty(up segment.Provider) segment.Provider { return dirty{forward{up}} }

func (d dirty) Acquire(min, max int) (segment.Segment, error) {
	s, err := d.up.Acquire(min, max)
	if err == nil {
		Fill(s, 0xA5)
		s.Zeroed = false
	}
	return s, err
}

type rigid struct{ forward }

// Rigid returns a provider that cannot resize.
func Rigid(up segment.Provider) segment.Provider { return rigid{forward{up}} }

func (r rigid) Resize(s segment.Segment, _, _ int, _ bool) (segment.Segment, error) {
	return s, errors.ErrUnsupported
}

// larger stands for max where a parameter has that name.
func larger(a, b int) int { return max(a, b) }
