package offheap

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// Ref is a link to a T outside the Go heap: its address, as a number that the
// collector does not follow. Types that hold links can so live in a heap, and be
// linked in cycles. The zero Ref is nil. A Ref keeps nothing alive, and is as good
// as a pointer: until the T is freed or its heap dropped.
//
// Refs of the same T can be compared. A memctx.Addr of a T's block and a Ref to the
// T are the same number, and convert into each other.
type Ref[T any] uintptr

// RefOf returns a link to the T at p, which must be outside the Go heap and not on
// a stack: what [New] returned, or an element of a slice of [MakeSlice], or a field
// of those. A nil p is the zero Ref.
func RefOf[T any](p *T) Ref[T] { return Ref[T](uintptr(unsafe.Pointer(p))) }

// Get returns the link as a pointer, nil if it is zero. Use it and forget it: in a
// heap it must not be stored.
func (r Ref[T]) Get() (p *T) {
	// Two values for the pointer: without the nil the compiler of Go 1.26 sees a
	// number where a copy of constant length wants a pointer, and panics.
	if r != 0 {
		p = raw.At[T](raw.Addr(r))
	}
	return p
}
