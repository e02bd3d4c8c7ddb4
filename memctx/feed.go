package memctx

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// blocks is a context as the provider of another one.
type blocks struct{ mc *Context }

// feedEager bounds what is taken because it would be welcome.
const feedEager = 1 << 20

// feedAlign is what segments are aligned to on all systems.
const feedAlign = 16

// Provider returns a provider whose segments are blocks of mc, so that another
// context lives within mc, its limit included, and goes with it. Like mc it is
// for one goroutine at a time; [Locked.Provider] is for several.
//
// Close what stands on it first, or make it a child. When mc is closed before,
// its blocks are gone, and Release has nothing to do and succeeds; when mc is
// reset before, that is a double free. A segment that is no block of mc is misuse
// and panics as [Context.Free] does. Drain is [Context.Trim].
//
// What a context under [Options.Checked] gives back is held back for a while: a stale
// write to it is a fault of mc's next Trim, Reset or Close, or an error of its Check.
// See docs/DIAGNOSTICS.md.
func (mc *Context) Provider() segment.Provider { return blocks{mc} }

// source returns the provider that the options named.
func (mc *Context) source() segment.Provider {
	if w, ok := mc.provider.(*watch); ok {
		return w.up
	}
	return mc.provider
}

// Acquire implements [segment.Provider].
func (b blocks) Acquire(min, max int) (segment.Segment, error) {
	if min <= 0 || max < min {
		return segment.Segment{}, b.refused(ErrSize)
	}
	n := eager(min, max)
	p, err := b.mc.AllocAligned(n, feedAlign)
	if err != nil && n > min {
		n = min
		p, err = b.mc.AllocAligned(n, feedAlign)
	}
	if err != nil {
		return segment.Segment{}, b.refused(err)
	}
	return segment.Segment{Base: p, Size: n}, nil
}

// eager returns how much of [least, most] to take.
func eager(least, most int) int { return max(least, min(most, feedEager)) }

// refused makes err one that a provider returns.
func (b blocks) refused(err error) error {
	if errors.Is(err, ErrLimit) || errors.Is(err, ErrNoMemory) {
		return err
	}
	return fmt.Errorf("memctx: blocks of context %q: %w: %w", b.mc.Name(), ErrNoMemory, err)
}

// Release implements [segment.Provider].
func (b blocks) Release(s segment.Segment) error {
	if s.Base == nil || s.Size <= 0 {
		return b.foreign()
	}
	if b.mc.mode&closed == 0 {
		b.mc.Free(s.Base)
	}
	return nil
}

func (b blocks) foreign() error {
	return fmt.Errorf("memctx: blocks of context %q: %w", b.mc.Name(), segment.ErrForeign)
}

// Resize implements [segment.Resizer].
func (b blocks) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	switch {
	case b.mc.mode&closed != 0:
		return s, b.refused(ErrClosed)
	case min <= 0 || max < min:
		return s, b.refused(ErrSize)
	case s.Base == nil || s.Size <= 0:
		return s, b.foreign()
	}
	n := eager(min, max)
	switch {
	case b.mc.TryResize(s.Base, n):
		return segment.Segment{Base: s.Base, Size: n}, nil
	case n > min && b.mc.TryResize(s.Base, min):
		return segment.Segment{Base: s.Base, Size: min}, nil
	case fixed:
		return s, errors.ErrUnsupported
	}
	p, err := b.mc.Realloc(s.Base, n)
	if err != nil && n > min {
		n = min
		p, err = b.mc.Realloc(s.Base, n)
	}
	if err != nil {
		return s, b.refused(err)
	}
	return segment.Segment{Base: p, Size: n}, nil
}

// Discard implements [segment.Discarder].
func (b blocks) Discard(s segment.Segment, off, n int) error {
	if off < 0 || n < 0 || off > s.Size || n > s.Size-off {
		return b.foreign()
	}
	if !b.mc.enter("Discard") {
		return nil
	}
	defer b.mc.leave()
	at := unsafe.Add(s.Base, off)
	r := b.mc.segments.find(raw.AddrOf(at))
	if r == nil {
		return b.foreign()
	}
	return segment.Discard(b.mc.provider, r.Segment, int(raw.AddrOf(at)-r.base()), n)
}

// Drain implements [segment.Drainer].
func (b blocks) Drain() error {
	if b.mc.mode&closed != 0 {
		return nil
	}
	return b.mc.trim(false)
}
