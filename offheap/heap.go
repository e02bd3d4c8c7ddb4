package offheap

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
)

// Heap is what the functions of this package need of a heap: a *memctx.Context and
// a *memctx.Locked are heaps. The calls do what memctx says of them; in particular
// FreeBytes faults for memory in which Contains is false.
//
// Who may call them from which goroutine is the heap's rule, and so that of the
// functions here, which make one call or a few of them: a Locked serves several
// goroutines, but not two that grow the same slice.
type Heap interface {
	// Alloc returns a block of n bytes.
	Alloc(n int) (unsafe.Pointer, error)
	// AllocZeroed returns a zeroed block for count items of size bytes.
	AllocZeroed(count, size int) (unsafe.Pointer, error)
	// Realloc changes the size of the block at p, and perhaps its place.
	Realloc(p unsafe.Pointer, n int) (unsafe.Pointer, error)
	// Free takes back the block at p.
	Free(p unsafe.Pointer)
	// FreeBytes takes back the block where b begins, if it is one of the heap's.
	FreeBytes(b []byte)
	// Contains reports whether p points into the heap's memory.
	Contains(p unsafe.Pointer) bool
}

// mustContain faults if there is something at p and it is not in the heap. The heap
// itself raises the fault, and tells its observers, unless it is one that does not
// mind.
func mustContain(h Heap, p unsafe.Pointer) {
	if p == nil || h.Contains(p) {
		return
	}
	h.FreeBytes(unsafe.Slice((*byte)(p), 0))
	panic(&diag.Fault{Kind: diag.Foreign, Op: "Grow", Addr: uintptr(p),
		Hint: "the slice is not in this heap: was it grown by append?"})
}
