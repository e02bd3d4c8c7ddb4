package segment

import (
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// heapUnit is the alignment of Go memory as a segment, and what its sizes are
// multiples of.
const heapUnit = 16

// heapLargest bounds one segment of Go memory. make panics above the address
// space the runtime knows; below it, what cannot be had ends the program.
var heapLargest = largestGoObject()

// heapEager bounds what is taken for max alone. Pages of the operating system
// cost nothing until touched, but Go memory counts toward the next collection.
const heapEager = 64 << 20

type goHeap struct{}

// Heap returns the provider of Go memory: byte slices without pointers,
// aligned to 16 bytes and zeroed. A segment is released by dropping the last
// reference to it; whoever holds a Segment keeps its memory alive.
//
// The race detector and the address sanitizer see this memory, as they do not
// see pages of the operating system: tests of concurrent code use it. It is
// also what [OS] returns where there is no mmap (wasm, Plan 9).
//
// A Go program that runs out of memory ends; it gets no error to handle. Only
// sizes that no Go program can have fail with [ErrNoMemory]. Heap is generous
// up to 64 MiB: a larger max is cut to that or to min.
func Heap() Provider { return goHeap{} }

// Acquire implements [Provider].
func (goHeap) Acquire(min, max int) (Segment, error) {
	if max > heapEager && max > min {
		max = heapEagerly(min)
	}
	n, ok := fit(min, max, heapUnit)
	if !ok || n > heapLargest {
		return Segment{}, noMemory("heap", min, max, nil)
	}
	base, _ := aligned(make([]byte, n+heapUnit-1))
	return Segment{Base: base, Size: n, Zeroed: true}, nil
}

// Release implements [Provider]. The memory is the collector's as soon as the
// caller has forgotten it.
func (goHeap) Release(s Segment) error {
	if s.Base == nil || s.Size <= 0 {
		return foreign("heap", "release", s)
	}
	return nil
}

// aligned returns the first address in buf that is a multiple of heapUnit, and
// the number of bytes from there to its end. The runtime promises 8 only.
func aligned(buf []byte) (unsafe.Pointer, int) {
	base := unsafe.Pointer(unsafe.SliceData(buf))
	up, _ := raw.RoundUp(uintptr(raw.AddrOf(base)), heapUnit)
	skip := int(up - uintptr(raw.AddrOf(base)))
	if skip >= len(buf) {
		return nil, 0
	}
	return unsafe.Add(base, skip), len(buf) - skip
}

// heapEagerly returns the max to use in place of one beyond heapEager.
func heapEagerly(min int) int {
	if min > heapEager {
		return min
	}
	return heapEager
}

// largestGoObject returns heapLargest. Words of wasm have 64 bits, but its
// address space has 32.
func largestGoObject() int {
	if bits.UintSize == 32 || runtime.GOARCH == "wasm" {
		return 1 << 30
	}
	return 1 << (bits.UintSize/2 + 7)
}
