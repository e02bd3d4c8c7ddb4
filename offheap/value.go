package offheap

import "unsafe"

// New returns a zeroed T in the heap, which [Free] gives back. A T without any
// bytes has a block of its own as well.
//
// The error is a [*TypeError] if T holds Go pointers, else the heap's: memctx says
// ErrLimit, ErrNoMemory or ErrClosed.
func New[T any](h Heap) (*T, error) {
	if err := check[T](); err != nil {
		return nil, err
	}
	n := sizeOf[T]()
	if n >= leastKnown {
		p, err := h.AllocZeroed(1, n)
		return (*T)(p), err
	}
	p, err := h.Alloc(n)
	if err != nil {
		return nil, err
	}
	// As bytes, before there is a *T: no store of a T may find what the last user
	// left there.
	clear(unsafe.Slice((*byte)(p), n))
	return (*T)(p), nil
}

// leastKnown is the number of bytes from which it pays to ask the heap for zeroes:
// it may know that memory is zero. Below, its short way and a few stores are faster
// (BenchmarkNew).
const leastKnown = 4096

// Free gives back the T at p, which [New] returned. A nil p is allowed. Misuse is
// a fault of the heap's, as with memctx.Context.Free.
func Free[T any](h Heap, p *T) { h.Free(unsafe.Pointer(p)) }

// sizeOf returns the number of bytes of a T.
func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }
