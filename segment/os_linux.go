package segment

import (
	"errors"

	"golang.org/x/sys/unix"
)

// MADV_DONTNEED frees the pages at once, so that what an operator sees in the
// resident size is true. MADV_FREE would leave them counted until the machine
// runs short.
const adviceDiscard = unix.MADV_DONTNEED

// grow enlarges s to n bytes by moving page table entries, not bytes.
func grow(s Segment, n int, fixed bool) (Segment, error) {
	flags := unix.MREMAP_MAYMOVE
	if fixed {
		flags = 0
	}
	base, err := unix.MremapPtr(s.Base, uintptr(s.Size), nil, uintptr(n), flags)
	if err == unix.EFAULT {
		// What was joined can be several mappings to the kernel, which moves or
		// enlarges one at a time.
		return s, errors.ErrUnsupported
	}
	if err != nil {
		return s, &failure{"os", "resize", n, n, ErrNoMemory, err}
	}
	return Segment{Base: base, Size: n}, nil
}
