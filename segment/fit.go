package segment

import (
	"math"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// fit returns the size to ask for when [min, max] bytes are wanted and only
// multiples of unit, a power of two, can be had: the largest one that is at
// most max or, where none lies in the range, min rounded up. It reports false
// for a range that is empty or not positive, and for a min so large that its
// rounding would exceed the largest int.
func fit(min, max, unit int) (int, bool) {
	if min <= 0 || max < min {
		return 0, false
	}
	if n := int(raw.RoundDown(uintptr(max), uintptr(unit))); n >= min {
		return n, true
	}
	return roundUp(min, unit)
}

// roundUp returns the smallest multiple of unit that is at least n, for a
// positive n and a power of two, and whether an int can hold it.
func roundUp(n, unit int) (int, bool) {
	r, ok := raw.RoundUp(uintptr(n), uintptr(unit))
	return int(r), ok && r <= math.MaxInt
}

// within reports whether the n bytes at offset off lie inside s.
func within(s Segment, off, n int) bool {
	return off >= 0 && n >= 0 && off <= s.Size && n <= s.Size-off
}

// wholePages returns the part of [off, off+n) in s that consists of whole
// pages, which is empty when no page lies inside.
func wholePages(s Segment, off, n, page int) (start, end raw.Addr) {
	base := uintptr(raw.AddrOf(s.Base))
	lo, ok := raw.RoundUp(base+uintptr(off), uintptr(page))
	hi := raw.RoundDown(base+uintptr(off)+uintptr(n), uintptr(page))
	if !ok || hi <= lo {
		return 0, 0
	}
	return raw.Addr(lo), raw.Addr(hi)
}
