package segment

import (
	"sync"
	"unsafe"
)

// fixed is one buffer, handed out or not.
type fixed struct {
	base unsafe.Pointer // first byte aligned to heapUnit; nil if there is none
	size int            // bytes from base to the buffer's end

	mu  sync.Mutex
	out int // bytes handed out; 0 if the buffer is here
}

// Fixed returns the provider of one segment, made of buf: its bytes from the
// first address aligned to 16 on, cut to max. While that is out, and whenever
// min does not fit, Acquire fails with [ErrNoMemory]. A nil or tiny buffer is
// allowed and serves nothing.
//
// The contents are buf's, hence never known to be zero. buf must not be used
// otherwise until the segment has been released. It lives in the Go heap, not
// on a goroutine's stack, as Fixed keeps it.
func Fixed(buf []byte) Provider {
	base, size := aligned(buf)
	return &fixed{base: base, size: size}
}

// Acquire implements [Provider].
func (f *fixed) Acquire(min, max int) (Segment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out != 0 || min <= 0 || max < min || min > f.size {
		return Segment{}, noMemory("fixed", min, max, nil)
	}
	f.out = f.size
	if max < f.size {
		f.out = max
	}
	return Segment{Base: f.base, Size: f.out}, nil
}

// Release implements [Provider].
func (f *fixed) Release(s Segment) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out == 0 || s.Base != f.base || s.Size != f.out {
		return foreign("fixed", "release", s)
	}
	f.out = 0
	return nil
}
