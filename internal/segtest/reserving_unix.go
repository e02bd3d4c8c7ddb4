//go:build unix

package segtest

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// reserving makes segments of the system's inaccessible until committed.
type reserving struct {
	mu  sync.Mutex
	out map[raw.Addr]int // sizes, by base
}

// Reserving returns a provider that is to its callers what segment.OS is on
// Windows: segments are reservations in multiples of 64 KiB, they must be
// committed before use, on pain of a fault, and they are released as a whole or
// not at all. On Windows it is segment.OS itself.
func Reserving() segment.Provider { return &reserving{out: map[raw.Addr]int{}} }

const reservation = 64 << 10

func (r *reserving) Acquire(min, max int) (segment.Segment, error) {
	s, err := segment.OS().Acquire(reserved(min, max))
	if err != nil {
		return s, err
	}
	if err := protect(s, 0, s.Size, unix.PROT_NONE); err != nil {
		return segment.Segment{}, errors.Join(err, segment.OS().Release(s))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out[raw.AddrOf(s.Base)] = s.Size
	return s, nil
}

func (r *reserving) Most(min, max int) int {
	_, max = reserved(min, max)
	return max
}

// reserved returns the range in multiples of reservations.
func reserved(min, max int) (int, int) {
	if 0 < min && min <= max && min <= math.MaxInt-reservation {
		min = (min + reservation - 1) &^ (reservation - 1)
		max = larger(max&^(reservation-1), min)
	}
	return min, max
}

func (r *reserving) Release(s segment.Segment) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	base := raw.AddrOf(s.Base)
	if r.out[base] != s.Size || s.Size == 0 {
		return fmt.Errorf("segtest: %d bytes at %#x, not a whole reservation: %w", s.Size, base, segment.ErrForeign)
	}
	delete(r.out, base) // before another goroutine can get the same address
	if err := segment.OS().Release(s); err != nil {
		r.out[base] = s.Size
		return err
	}
	return nil
}

func (r *reserving) Discard(s segment.Segment, off, n int) error {
	return segment.Discard(segment.OS(), s, off, n)
}

func (r *reserving) Commit(s segment.Segment, off, n int) error {
	return protect(s, off, n, unix.PROT_READ|unix.PROT_WRITE)
}

// protect changes the access to all pages that the n bytes at off touch.
func protect(s segment.Segment, off, n, access int) error {
	page := uintptr(unix.Getpagesize())
	base := uintptr(raw.AddrOf(s.Base)) + uintptr(off)
	start := raw.RoundDown(base, page)
	end, _ := raw.RoundUp(base+uintptr(n), page)
	if err := unix.Mprotect(raw.Bytes(raw.Addr(start), end-start), access); err != nil {
		return fmt.Errorf("segtest: commit %d bytes: %w: %w", n, segment.ErrNoMemory, err)
	}
	return nil
}
