package goheap

import (
	"runtime"
	"unsafe"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// ref is a pointer to a block. Nil is none.
type ref = unsafe.Pointer

func none() ref             { return nil }
func isNone(r ref) bool     { return r == nil }
func at[T any](r ref) *T    { return (*T)(r) }
func plus(r ref, n int) ref { return unsafe.Add(r, n) }

// slice returns the count items of type T at r.
func slice[T any](r ref, count int) []T { return unsafe.Slice(at[T](r), count) }

// heap is the heap of the process.
type heap struct{}

// New returns the Go heap. Streams are scaled down by scale, 1 is full.
func New(scale int) work.Runner { return &runner{scale: scale} }

// Play returns the Go heap for a tape.
func Play(t *tape.Tape) work.Runner { return &player{tape: t} }

// Hold returns the Go heap for a crowd. Its table keeps the blocks alive, so the
// collector scans it.
func Hold(c work.Crowd) work.Holder { return &holder{crowd: c} }

func (h *heap) prepare(work.Test) {}
func (h *heap) warmUp() bool      { return false }
func (h *heap) open() error       { return nil }
func (h *heap) rewind()           {}

// close does nothing: garbage waits for the collector, which works when it
// always does, in this run or in one of the next.
func (h *heap) close() error { return nil }

// drop is one collection, which is what it takes to get everything back.
func (h *heap) drop() error {
	runtime.GC()
	return nil
}

// peak returns what the runtime obtained for its heap. It does not shrink, and
// it includes the idle part and the little that the process itself needs.
func (h *heap) peak() (int64, bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapSys), true
}

// alloc returns n bytes that the collector does not scan.
func (h *heap) alloc(n int) ref { return unsafe.Pointer(unsafe.SliceData(make([]byte, n))) }

func (h *heap) allocListNode() ref { return unsafe.Pointer(new(listNode)) }

func (h *heap) allocMapNode() ref { return unsafe.Pointer(new(mapNode)) }

func (h *heap) allocStrings(count int) ref {
	return unsafe.Pointer(unsafe.SliceData(make([]str, count)))
}

// realloc brings a block of old bytes, or none, to n bytes. The Go heap has no
// such call, so it is always a new block and a copy.
func (h *heap) realloc(p ref, old, n int) ref {
	q := h.alloc(n)
	copy(slice[byte](q, n), slice[byte](p, min(old, n)))
	return q
}

func (h *heap) free(ref) {}

// What follows is for tapes only.

func (h *heap) allocZeroed(n int) ref { return h.alloc(n) }

// allocAligned returns a pointer into a block that is large enough to have an
// aligned place.
func (h *heap) allocAligned(n, align int) ref {
	p := h.alloc(n + align)
	return unsafe.Add(p, -uintptr(p)&uintptr(align-1))
}

func (h *heap) reallocAligned(p ref, old, n, align int) ref {
	q := h.allocAligned(n, align)
	copy(slice[byte](q, n), slice[byte](p, min(old, n)))
	return q
}

func (h *heap) freeAligned(ref) {}

// reset reports that there is no such thing.
func (h *heap) reset() bool { return false }
