package floor

import (
	"unsafe"

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

const (
	alignment = 16       // of every block, in bytes
	slabSize  = 64 << 20 // of a slab, at least
	pageSize  = 4096     // step at which a slab is touched
)

// heap hands out the next bytes of its slabs and takes nothing back. The slabs
// are Go memory without pointers, touched when they are made and kept from run
// to run: after a first run, which is not timed, no slab is made anymore.
//
// A workload that would need more than a machine has is given a window: one
// slab that is used over and over. Such workloads free in the order in which
// they allocate, and the window is twice what they hold, so that a block is
// only overwritten when it is dead.
type heap struct {
	next, end uintptr
	slabs     [][]byte
	current   int // index of the slab in use
	windowed  bool
}

// windows are the sizes in bytes of the workloads that need one.
var windows = map[work.Test]int{
	work.Reallocations: 2 * 1000 * (32768 + alignment),
	work.LargeRing:     2 * 4 * (4<<20 + alignment),
	work.SmallRing:     2 * 1024 * 2048,
}

// New returns the floor: what a workload takes when allocating costs an
// addition and freeing nothing. Streams are scaled down by scale, 1 is full.
func New(scale int) work.Runner { return &runner{scale: scale} }

// Play returns the floor for a tape. Every byte that the tape asks for comes to
// lie in a slab.
func Play(t *tape.Tape) work.Runner { return &player{tape: t} }

// Hold returns the floor for a crowd. All blocks of a round lie in slabs, those
// that were replaced included.
func Hold(c work.Crowd) work.Holder { return &holder{crowd: c} }

func (h *heap) prepare(t work.Test) {
	if size := windows[t]; size != 0 {
		h.windowed = true
		h.addSlab(size)
	}
}

// warmUp reports that a run must go before the timed ones: it makes the slabs.
func (h *heap) warmUp() bool { return !h.windowed }

func (h *heap) open() error {
	h.current = -1
	h.next, h.end = 0, 0
	return nil
}

// rewind begins the slabs anew when nothing is live.
func (h *heap) rewind() { _ = h.open() } // it cannot fail

func (h *heap) close() error { return nil }
func (h *heap) drop() error  { return nil }

func (h *heap) peak() (int64, bool) {
	total := int64(0)
	for _, s := range h.slabs {
		total += int64(len(s))
	}
	return total, true
}

// alloc is left as a call, as every heap's is.
func (h *heap) alloc(n int) ref {
	p := h.next
	h.next = (p + uintptr(n) + alignment - 1) &^ (alignment - 1)
	if h.next > h.end {
		return h.allocSlab(n)
	}
	return p
}

// allocSlab goes on to the next slab and allocates there. The same stream asks
// for the same slabs in each run, so one that is there is large enough.
func (h *heap) allocSlab(n int) ref {
	h.current++
	if h.windowed {
		h.current = 0
	} else if h.current == len(h.slabs) {
		h.addSlab(max(slabSize, n+alignment))
	}
	s := h.slabs[h.current]
	h.next = uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	h.end = h.next + uintptr(len(s))
	return h.alloc(n)
}

func (h *heap) addSlab(size int) {
	s := make([]byte, size)
	for i := 0; i < size; i += pageSize {
		s[i] = 1
	}
	h.slabs = append(h.slabs, s)
}

func (h *heap) allocListNode() ref         { return h.alloc(work.ListNodeSize) }
func (h *heap) allocMapNode() ref          { return h.alloc(work.MapNodeSize) }
func (h *heap) allocStrings(count int) ref { return h.alloc(count * work.StringSize) }

// realloc brings a block of old bytes, or none, to n bytes.
func (h *heap) realloc(p ref, old, n int) ref {
	q := h.alloc(n)
	copy(slice[byte](q, n), slice[byte](p, min(old, n)))
	return q
}

func (h *heap) free(ref) {}

// What follows is for tapes only.

func (h *heap) allocZeroed(n int) ref {
	p := h.alloc(n)
	clear(slice[byte](p, n))
	return p
}

func (h *heap) allocAligned(n, align int) ref {
	a := uintptr(align)
	return (h.alloc(n+align) + a - 1) &^ (a - 1)
}

func (h *heap) reallocAligned(p ref, old, n, align int) ref {
	q := h.allocAligned(n, align)
	copy(slice[byte](q, n), slice[byte](p, min(old, n)))
	return q
}

func (h *heap) freeAligned(ref) {}

// reset drops all blocks and reports that it could.
func (h *heap) reset() bool {
	_ = h.open() // it cannot fail
	return true
}
