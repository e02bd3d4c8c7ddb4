package segment

import (
	"errors"
	"unsafe"
)

var (
	// ErrLimit reports that a cap stands in the way: a cache's, a budget's or
	// a context's own. Giving something back helps.
	ErrLimit = errors.New("memory limit reached")

	// ErrNoMemory reports that the source has no more memory to give.
	ErrNoMemory = errors.New("out of memory")

	// ErrForeign reports a segment that the provider did not hand out, or has
	// taken back already, or handed out with another size.
	ErrForeign = errors.New("not a segment of this provider")
)

// Segment is a run of bytes obtained from a [Provider]. It is a value; whoever
// holds it owns the memory until it has been released without error.
type Segment struct {
	Base   unsafe.Pointer // first byte
	Size   int            // bytes really obtained, which may be more than min
	Zeroed bool           // every byte is known to be zero

	// hint is the number that a Cache has given to the extent, if it is from one. The
	// cache finds it without the hint too, and slower.
	hint uint32
}

// Provider is where a context gets its segments from. Providers are crossed
// once per segment, never per block.
//
// All providers of this package may be used by several goroutines at once
// unless their documentation says otherwise. One that panics leaves its caller in the
// middle of an operation: what is wrong, return as an error.
type Provider interface {
	// Acquire returns a segment of a size in [min, max] bytes, near max where
	// that is cheap. min must be positive and max at least min. Where no
	// multiple of the provider's unit (a page, say) lies in [min, max], the
	// size is min rounded up, and [Fixed] may give all it has: Segment.Size
	// tells what was really obtained. Of a caller for whom that is too much,
	// max bytes exactly, with min equal to max, are a better next wish. On
	// failure, impossible sizes included, it returns an error that wraps
	// [ErrLimit] or [ErrNoMemory], and nothing was acquired.
	Acquire(min, max int) (Segment, error)

	// Release gives back a segment exactly as it was acquired or resized. On
	// error the caller still owns it and may try again.
	Release(s Segment) error
}

// Resizer is implemented by providers that can change a segment's size.
// Decorators forward it, or return [errors.ErrUnsupported].
type Resizer interface {
	// Resize returns the segment with a size in [min, max] bytes and the
	// first min(old, new) bytes unchanged. It may move, unless fixed is true.
	// On error s is as it was.
	Resize(s Segment, min, max int, fixed bool) (Segment, error)
}

// Discarder is implemented by providers that can give back the physical pages
// behind a part of a segment while the addresses stay usable.
type Discarder interface {
	// Discard makes the n bytes at offset off of s undefined and returns their
	// pages to the system. Partial pages at either end are left alone.
	Discard(s Segment, off, n int) error
}

// Committer is implemented by providers whose segments are reserved first and
// made usable step by step (Windows). Segments of other providers are usable
// from the start.
type Committer interface {
	// Commit makes the n bytes at offset off of s usable. Committing twice
	// does no harm. On failure it returns an error that wraps [ErrNoMemory].
	Commit(s Segment, off, n int) error
}
