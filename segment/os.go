//go:build unix || windows

package segment

import "errors"

// system is the operating system. It has no state: the kernel keeps the books.
type system struct{}

// OS returns the provider of pages from the operating system, zeroed:
//
//   - On Unix pages are mapped with mmap, private and anonymous, and usable at
//     once. Sizes are multiples of the page size. Linux resizes with mremap;
//     elsewhere a segment can only shrink. Neighbours can be joined and segments
//     split, which costs nothing; what was joined may be several mappings to the
//     kernel, and cannot grow then.
//   - On Windows address space is reserved with VirtualAlloc, in multiples of
//     64 KiB, and must be committed before use: see [Commit]. A segment can be
//     neither resized nor joined with another one.
//   - Where there is neither (wasm, Plan 9), OS is [Heap].
//
// Discard gives physical pages back on all of them. Its cost on Linux is that
// of the page faults that follow; elsewhere the system takes the pages when it
// needs them. An error wraps [ErrNoMemory] and the system's own error.
//
// Release can fail too: unmapping the middle of a run of mappings needs one
// mapping more, and Linux bounds their number (vm.max_map_count).
func OS() Provider { return system{} }

// Acquire implements [Provider].
func (system) Acquire(min, max int) (Segment, error) {
	n, ok := fit(min, max, osUnit())
	if !ok {
		return Segment{}, noMemory("os", min, max, nil)
	}
	s, err := reserve(n)
	if err != nil && n > min {
		// max is a wish. What is needed may still be there.
		if least, _ := roundUp(min, osUnit()); least < n {
			s, err = reserve(least)
		}
	}
	if err != nil {
		return Segment{}, noMemory("os", min, max, err)
	}
	return s, nil
}

// Most implements [Sizer].
func (system) Most(min, max int) int { return mostOf(min, max, osUnit()) }

// Discard implements [Discarder].
func (system) Discard(s Segment, off, n int) error {
	if !within(s, off, n) {
		return foreign("os", "discard", s)
	}
	start, end := wholePages(s, off, n, pageSize)
	if start == end {
		return nil
	}
	if err := discard(start, end); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return &failure{"os", "discard", n, n, ErrNoMemory, err}
	} else {
		return err
	}
}
