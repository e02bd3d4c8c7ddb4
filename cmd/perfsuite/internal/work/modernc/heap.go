//go:build unix || windows

package modernc

import (
	"unsafe"

	"modernc.org/memory"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// ref is the address of a block. Zero is none.
type ref = uintptr

func none() ref             { return 0 }
func isNone(r ref) bool     { return r == 0 }
func at[T any](r ref) *T    { return raw.At[T](raw.Addr(r)) }
func plus(r ref, n int) ref { return r + uintptr(n) }

// slice returns the count items of type T at r.
func slice[T any](r ref, count int) []T { return unsafe.Slice(at[T](r), count) }

// heap is an allocator of modernc.org/memory, empty at the start of each run.
type heap struct {
	allocator memory.Allocator
	most      int64 // bytes that the allocator counted, if it was built to count
}

// New returns the allocator. Streams are scaled down by scale, 1 is full.
func New(scale int) work.Runner { return &runner{scale: scale} }

// Play returns the allocator for a tape.
func Play(t *tape.Tape) work.Runner { return &player{tape: t} }

// Hold returns the allocator for a crowd.
func Hold(c work.Crowd) work.Holder { return &holder{crowd: c} }

func (h *heap) prepare(work.Test) {}
func (h *heap) warmUp() bool      { return false }
func (h *heap) open() error       { return nil }
func (h *heap) rewind()           {}

// close reads the allocator's count first. It keeps what it empties up to the
// most that was ever live, so little of the peak is missing from it.
func (h *heap) close() error {
	h.most = max(h.most, int64(h.allocator.Bytes))
	return h.allocator.Close()
}

func (h *heap) drop() error { return h.close() }

// peak knows something only in a build with the tag memory.counters.
func (h *heap) peak() (int64, bool) { return h.most, h.most != 0 }

func (h *heap) alloc(n int) ref {
	p, err := h.allocator.UintptrMalloc(n)
	if err != nil {
		panic(err)
	}
	return p
}

// The three that follow are alloc once more, because the compiler would not
// inline a call of a call.

func (h *heap) allocListNode() ref {
	p, err := h.allocator.UintptrMalloc(work.ListNodeSize)
	if err != nil {
		panic(err)
	}
	return p
}

func (h *heap) allocMapNode() ref {
	p, err := h.allocator.UintptrMalloc(work.MapNodeSize)
	if err != nil {
		panic(err)
	}
	return p
}

func (h *heap) allocStrings(count int) ref {
	p, err := h.allocator.UintptrMalloc(count * work.StringSize)
	if err != nil {
		panic(err)
	}
	return p
}

// realloc brings a block, or none, to n bytes; its old size is not needed.
func (h *heap) realloc(p ref, _, n int) ref {
	p, err := h.allocator.UintptrRealloc(p, n)
	if err != nil {
		panic(err)
	}
	return p
}

func (h *heap) free(p ref) {
	if err := h.allocator.UintptrFree(p); err != nil {
		panic(err)
	}
}

// What follows is for tapes only.

func (h *heap) allocZeroed(n int) ref {
	p, err := h.allocator.UintptrCalloc(n)
	if err != nil {
		panic(err)
	}
	return p
}

// word is the size of an address. The one before an aligned block is that of the
// block it lies in.
const word = unsafe.Sizeof(uintptr(0))

func (h *heap) allocAligned(n, align int) ref {
	p := h.alloc(n + align + int(word))
	a := uintptr(align)
	q := (p + word + a - 1) &^ (a - 1)
	*at[uintptr](q - word) = p
	return q
}

func (h *heap) reallocAligned(p ref, old, n, align int) ref {
	q := h.allocAligned(n, align)
	copy(slice[byte](q, n), slice[byte](p, min(old, n)))
	h.freeAligned(p)
	return q
}

func (h *heap) freeAligned(p ref) { h.free(*at[uintptr](p - word)) }

// reset reports that there is no such thing: what Close does is the end.
func (h *heap) reset() bool { return false }
