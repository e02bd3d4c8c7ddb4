package segment

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/cookmem-go/cookmem/internal/raw"
)

var pageSize = os.Getpagesize()

// osUnit is the allocation granularity: a reservation starts at a multiple of
// it, so that a smaller one would only waste the rest of its addresses.
func osUnit() int { return 64 << 10 }

// reserve takes n bytes of address space, none of it usable yet.
func reserve(n int) (Segment, error) {
	base, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return Segment{}, err
	}
	return Segment{Base: raw.Addr(base).Pointer(), Size: n, Zeroed: true}, nil
}

// Release implements [Provider]. A reservation goes as a whole, and Windows
// wants to hear 0 for its size.
func (system) Release(s Segment) error {
	if s.Base == nil || s.Size <= 0 {
		return foreign("os", "release", s)
	}
	if err := windows.VirtualFree(uintptr(s.Base), 0, windows.MEM_RELEASE); err != nil {
		return &failure{"os", "release", s.Size, s.Size, ErrNoMemory, err}
	}
	return nil
}

// Commit implements [Committer]. Pages that are committed already stay as they
// are.
func (system) Commit(s Segment, off, n int) error {
	if !within(s, off, n) {
		return foreign("os", "commit", s)
	}
	if n == 0 {
		return nil
	}
	at := uintptr(s.Base) + uintptr(off)
	if _, err := windows.VirtualAlloc(at, uintptr(n), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		return &failure{"os", "commit", n, n, ErrNoMemory, err}
	}
	return nil
}

// discard gives back the pages in [start, end) that are committed; Windows
// refuses the whole of a range that holds others.
func discard(start, end raw.Addr) error { return eachCommitted(start, end, reset) }

// eachCommitted calls f for the parts of [start, end) that are committed.
func eachCommitted(start, end raw.Addr, f func(at, n uintptr) error) error {
	for at := uintptr(start); at < uintptr(end); {
		var info windows.MemoryBasicInformation
		if err := windows.VirtualQuery(at, &info, unsafe.Sizeof(info)); err != nil {
			return err
		}
		next := min(info.BaseAddress+info.RegionSize, uintptr(end))
		if info.State == windows.MEM_COMMIT {
			if err := f(at, next-at); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

// reset tells Windows that the contents of committed pages do not matter.
// Unlocking pages that are not locked fails, as it should, but takes them out
// of the working set first.
func reset(at, n uintptr) error {
	if _, err := windows.VirtualAlloc(at, n, windows.MEM_RESET, windows.PAGE_READWRITE); err != nil {
		return err
	}
	if err := windows.VirtualUnlock(at, n); err != nil && !errors.Is(err, windows.ERROR_NOT_LOCKED) {
		return err
	}
	return nil
}

// protect makes the pages in [start, end) that are committed inaccessible or
// accessible again.
func protect(start, end raw.Addr, inaccessible bool) error {
	access := uint32(windows.PAGE_READWRITE)
	if inaccessible {
		access = windows.PAGE_NOACCESS
	}
	return eachCommitted(start, end, func(at, n uintptr) error {
		var before uint32
		return windows.VirtualProtect(at, n, access, &before)
	})
}

// bury takes all memory from behind the addresses of s, which stay reserved.
func bury(s Segment) error {
	return windows.VirtualFree(uintptr(s.Base), uintptr(s.Size), windows.MEM_DECOMMIT)
}
