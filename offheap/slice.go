package offheap

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// MakeSlice returns a slice of length elements in the heap with the given
// capacity, all of it zero, which [FreeSlice] gives back. A slice without capacity
// has a block as well.
//
// The error is a [*TypeError] if T holds Go pointers, else the heap's. Unlike make,
// MakeSlice does not panic for a length that is negative or above the capacity, or
// for more bytes than can be: all of that is memctx.ErrSize, since such numbers
// often come with the input.
func MakeSlice[T any](h Heap, length, capacity int) ([]T, error) {
	if err := check[T](); err != nil {
		return nil, err
	}
	if length < 0 || length > capacity {
		capacity = -1 // which the heap says is no size
	}
	p, err := h.AllocZeroed(capacity, sizeOf[T]())
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(p), capacity)[:length], nil
}

// FreeSlice gives back a slice of [MakeSlice], [Grow] or [Append], or a part of it
// that begins where it began. A nil slice is allowed.
//
// A slice that is not in the heap, since the builtin append moved it to the Go heap
// for instance, or was never there, as []T{}, is a fault of kind diag.Foreign: the
// heap looks at where it is before it looks at the memory there. A part that begins
// later, such as s[1:], is not the start of a block; what the heap says of those is
// told in the package comment.
func FreeSlice[T any](h Heap, s []T) {
	h.FreeBytes(unsafe.Slice((*byte)(start(s)), cap(s)*sizeOf[T]()))
}

// Append returns s with v behind it, as the builtin append does, but in the heap: s
// grows there if its capacity is too small, and must not be used any more. v may be
// a part of s. A nil s becomes a slice in the heap.
//
// On failure Append returns s as it was, and one of [Grow]'s errors. A slice that is
// not in the heap is a fault even if it has the capacity.
func Append[T any](h Heap, s []T, v ...T) ([]T, error) {
	n := len(s) + len(v)
	if n > cap(s) && overlap(s, v) {
		v = slices.Clone(v) // the block that they are in is about to go
	}
	grown, err := Grow(h, s, len(v))
	if err != nil {
		return s, err
	}
	grown = grown[:n]
	copy(grown[len(s):], v)
	return grown, nil
}

// Grow returns s with room for n more elements. If the capacity is too small, the
// block grows, where it is or by moving, and s must not be used any more. It grows
// by a third at least, if the heap has that much, so that a loop of Append is
// linear. Capacity that is new is zero. Growing nil makes a slice.
//
// The error is a [*TypeError] if T holds Go pointers, else the heap's, and
// memctx.ErrSize for a negative n and for more bytes than can be; s is then returned
// as it was. A slice that is not in the heap is a fault, as with [FreeSlice].
func Grow[T any](h Heap, s []T, n int) ([]T, error) {
	if err := check[T](); err != nil {
		return s, err
	}
	mustContain(h, start(s))
	if n >= 0 && n <= cap(s)-len(s) {
		return s, nil
	}
	count := len(s) + n
	if n < 0 {
		count = -1 // which resize refuses, as it does a sum that wraps
	}
	p, capacity, err := resize(h, start(s), count, sizeOf[T]())
	if err != nil {
		return s, err
	}
	old := cap(s) * sizeOf[T]()
	clear(unsafe.Slice((*byte)(p), capacity*sizeOf[T]())[old:])
	return unsafe.Slice((*T)(p), capacity)[:len(s)], nil
}

// resize makes the block at p hold count elements of size bytes, with some room
// behind them if there is enough, and returns how many elements it holds.
func resize(h Heap, p unsafe.Pointer, count, size int) (unsafe.Pointer, int, error) {
	n := count * size
	if count < 0 || size > 0 && count > math.MaxInt/size {
		n = -1 // which the heap says is no size
	}
	if roomy := withRoom(n); roomy > n {
		if q, err := h.Realloc(p, roomy-roomy%size); err == nil {
			return q, roomy / size, nil
		}
	}
	q, err := h.Realloc(p, n)
	return q, count, err
}

// leastRoom is the number of bytes with which slices that grow begin.
const leastRoom = 32

// withRoom returns the next power of two from n on, or one and a half times a
// power of two if that is less. Those are the steps of Realloc, so that it does
// not add room of its own behind. What has no bytes needs no room.
func withRoom(n int) int {
	if n <= 0 {
		return n
	}
	n = max(n, leastRoom)
	step := uint(1) << bits.Len(uint(n)) >> 2
	if roomy := (uint(n) + step - 1) &^ (step - 1); roomy <= math.MaxInt {
		return int(roomy)
	}
	return n
}

// start returns the address of the first element of s, or of where it would be.
func start[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// overlap reports whether v begins among the elements of s. What begins behind them
// ends within the capacity, and does not make s grow. Addresses are compared as
// numbers, so that v can stay on the caller's stack.
func overlap[T any](s, v []T) bool {
	return uintptr(start(v))-uintptr(start(s)) < uintptr(len(s)*sizeOf[T]())
}
