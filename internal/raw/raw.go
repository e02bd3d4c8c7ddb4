// Package raw is the one place where an address becomes a pointer.
//
// The heap keeps its links in memory that the garbage collector does not
// scan, so every link is an [Addr]: a number, never a Go pointer. A Go pointer
// stored there would be read back by the collector's write barrier as the "old
// value" of the slot, and whatever user bytes lay in it would crash the
// process. Addresses are turned into pointers at the last moment, used in the
// same few lines, and not kept.
//
// The governing rule: an Addr is only meaningful while somebody else keeps the
// memory behind it alive. The providers' segments do that (a Segment's Base is
// a real pointer, held by the context's records); nothing here checks it.
//
// The conversion reinterprets the variable that holds the address instead of
// converting its value. go vet, checkptr and the race detector accept that for
// memory inside and outside the Go heap alike, and it compiles to nothing.
package raw

import "unsafe"

// Word is the size of an address and of a header, in bytes: 8 on 64-bit
// systems, 4 on 32-bit ones.
const Word = 4 << (^uintptr(0) >> 63)

// Addr is the address of a byte. It does not keep that byte alive.
type Addr uintptr

// AddrOf returns the address that p holds. A pointer into a goroutine's stack
// must not be passed: stacks move.
func AddrOf(p unsafe.Pointer) Addr { return *(*Addr)(unsafe.Pointer(&p)) }

// SliceAddr returns the address of b's first byte, or of where it would be if b
// is empty but not nil. The caller keeps b alive, and b must not lie in a
// goroutine's stack: stacks move.
func SliceAddr(b []byte) Addr { return AddrOf(unsafe.Pointer(unsafe.SliceData(b))) }

// Pointer returns a as a pointer.
func (a Addr) Pointer() unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a))
}

// At returns the T at a. T must not hold Go pointers when a lies outside the
// Go heap, and a must be aligned for T.
func At[T any](a Addr) *T { return (*T)(a.Pointer()) }

// Bytes returns the n bytes at a as a slice without spare capacity.
func Bytes(a Addr, n uintptr) []byte { return unsafe.Slice((*byte)(a.Pointer()), n) }

// Copy copies n bytes from src to dst; the ranges may overlap.
func Copy(dst, src Addr, n uintptr) { copy(Bytes(dst, n), Bytes(src, n)) }

// Zero clears n bytes at a, as bytes: no write barrier ever looks at what was
// there before.
func Zero(a Addr, n uintptr) { clear(Bytes(a, n)) }

// Fill sets n bytes at a to b.
func Fill(a Addr, n uintptr, b byte) {
	s := Bytes(a, n)
	for i := range s {
		s[i] = b
	}
}

// Before returns the T that is n places before p in an array, which must reach
// that far.
func Before[T any](p *T, n uintptr) *T {
	return (*T)(unsafe.Pointer(uintptr(unsafe.Pointer(p)) - n*unsafe.Sizeof(*p)))
}

// RoundUp returns the smallest multiple of to that is at least n, and whether
// it exists: near the largest uintptr the sum would wrap. to is a power of two.
func RoundUp(n, to uintptr) (uintptr, bool) {
	r := (n + to - 1) &^ (to - 1)
	return r, r >= n
}

// RoundDown returns the largest multiple of to that is at most n. to is a
// power of two.
func RoundDown(n, to uintptr) uintptr { return n &^ (to - 1) }
