package segment

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// fixed is one buffer and the pieces of it that are out.
type fixed struct {
	base unsafe.Pointer // first byte aligned to heapUnit; nil if there is none
	size int            // bytes from base to the buffer's end

	mu  sync.Mutex
	out []piece // handed out, in the order of their offsets
}

// piece is a part of a fixed buffer. What lies between two pieces is free: there
// is nothing to join when one comes back.
type piece struct{ off, size int }

// Fixed returns a provider that has buf to give, from the first address aligned
// to 16 on, and nothing else. Requests that do not fit into what is left fail
// with [ErrNoMemory]. A nil or tiny buffer is allowed and serves nothing.
//
// A request for a range, with max above min, is served with all that lies
// together, even if that is more than max: a context gets the whole buffer as
// one segment, and a [Cache] as one mapping. A request for exactly one size,
// min being max, is served with exactly that, so that a caller with a limit
// below the buffer's size can take it in pieces. They start at multiples of 16
// and can be released in any order; each is free for reuse at once.
//
// The contents are buf's, hence never known to be zero. buf must not be used
// otherwise until every segment has been released. It lives in the Go heap, not
// on a goroutine's stack, as Fixed keeps it.
func Fixed(buf []byte) Provider {
	base, size := aligned(buf)
	return &fixed{base: base, size: size}
}

// Acquire implements [Provider]. The work grows with the number of pieces out.
func (f *fixed) Acquire(min, max int) (Segment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if min <= 0 || max < min {
		return Segment{}, noMemory("fixed", min, max, nil)
	}
	exact := min == max
	gap, at := f.gap(min, exact)
	if gap.size == 0 {
		return Segment{}, noMemory("fixed", min, max, nil)
	}
	if exact {
		gap.size = min
	}
	f.out = slices.Insert(f.out, at, gap)
	return Segment{Base: unsafe.Add(f.base, gap.off), Size: gap.size}, nil
}

// gap returns a free part of at least min bytes, the smallest or the largest
// one, and its place among the pieces. There is none if its size is 0.
func (f *fixed) gap(min int, smallest bool) (best piece, at int) {
	off := 0
	for i := range len(f.out) + 1 {
		end := f.size
		if i < len(f.out) {
			end = f.out[i].off
		}
		n := end - off
		if n >= min && (best.size == 0 || smallest == (n < best.size)) {
			best, at = piece{off, n}, i
		}
		if i < len(f.out) {
			off, _ = roundUp(end+f.out[i].size, heapUnit)
		}
	}
	return best, at
}

// Release implements [Provider].
func (f *fixed) Release(s Segment) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.Index(f.out, piece{int(raw.AddrOf(s.Base) - raw.AddrOf(f.base)), s.Size})
	if i < 0 {
		return foreign("fixed", "release", s)
	}
	f.out = slices.Delete(f.out, i, i+1)
	return nil
}
