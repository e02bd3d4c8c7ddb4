//go:build unix

package segment

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/raw"
)

var pageSize = os.Getpagesize()

// osUnit is what sizes of mappings are multiples of.
func osUnit() int { return pageSize }

// reserve maps n bytes. The Ptr form of mmap keeps no table of what it mapped,
// and so allows parts of a mapping to be unmapped.
func reserve(n int) (Segment, error) {
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(n),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return Segment{}, err
	}
	return Segment{Base: base, Size: n, Zeroed: true}, nil
}

// Release implements [Provider].
func (system) Release(s Segment) error {
	if s.Base == nil || s.Size <= 0 {
		return foreign("os", "release", s)
	}
	return unmap(s.Base, s.Size, "release")
}

// Resize implements [Resizer].
func (system) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	n, ok := fit(min, max, pageSize)
	if !ok || s.Base == nil {
		return s, &failure{"os", "resize", min, max, ErrNoMemory, nil}
	}
	if n == s.Size {
		return s, nil
	}
	if n < s.Size {
		if err := unmap(unsafe.Add(s.Base, n), s.Size-n, "resize"); err != nil {
			return s, err
		}
		return Segment{Base: s.Base, Size: n}, nil
	}
	r, err := grow(s, n, fixed)
	if least, _ := roundUp(min, pageSize); err != nil && s.Size < least && least < n {
		return grow(s, least, fixed) // max is a wish
	}
	return r, err
}

// protect makes the pages in [start, end) inaccessible or accessible again.
func protect(start, end raw.Addr, inaccessible bool) error {
	access := unix.PROT_READ | unix.PROT_WRITE
	if inaccessible {
		access = unix.PROT_NONE
	}
	return unix.Mprotect(raw.Bytes(start, uintptr(end-start)), access)
}

// bury takes all memory from behind the addresses of s.
func bury(s Segment) error {
	start := raw.AddrOf(s.Base)
	if err := discard(start, start+raw.Addr(s.Size)); err != nil {
		return err
	}
	return protect(start, start+raw.Addr(s.Size), true)
}

func unmap(base unsafe.Pointer, n int, op string) error {
	if err := unix.MunmapPtr(base, uintptr(n)); err != nil {
		return &failure{"os", op, n, n, ErrNoMemory, err}
	}
	return nil
}

// discard gives back the pages in [start, end).
func discard(start, end raw.Addr) error {
	return unix.Madvise(raw.Bytes(start, uintptr(end-start)), adviceDiscard)
}

// Join implements [Joiner]. Nothing is asked of the kernel, which takes back any run
// of pages.
func (system) Join(a, b Segment) (Segment, error) {
	if !ofPages(a) || !ofPages(b) {
		return a, foreign("os", "join", a)
	}
	s, ok := joined(a, b)
	if !ok {
		return a, apart("os", a, b)
	}
	return s, nil
}

// Split implements [Joiner].
func (system) Split(s Segment, n int) (front, rest Segment, err error) {
	if !ofPages(s) {
		return s, Segment{}, foreign("os", "split", s)
	}
	front, rest, ok := cut(s, n, pageSize)
	if !ok {
		return s, Segment{}, uncut("os", n)
	}
	return front, rest, nil
}

// ofPages reports whether s consists of whole pages.
func ofPages(s Segment) bool {
	return s.Size > 0 && (uintptr(raw.AddrOf(s.Base))|uintptr(s.Size))&uintptr(pageSize-1) == 0 && s.Base != nil
}
