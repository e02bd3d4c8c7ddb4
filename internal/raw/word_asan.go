//go:build asan

package raw

import "unsafe"

// Under the address sanitizer freed memory is poisoned, and the heap's own
// links lie in freed memory. These forms are therefore kept out of the
// instrumentation: the user's accesses are checked, the heap's are not.

// Load reads the word at a, which must be aligned to [Word].
//
//go:norace
//go:noinline
func Load(a Addr) uintptr { return *At[uintptr](a) }

// Store writes the word at a, which must be aligned to [Word].
//
//go:norace
//go:noinline
func Store(a Addr, w uintptr) { *At[uintptr](a) = w }

// Load8 reads the byte at a.
//
//go:norace
//go:noinline
func Load8(a Addr) uint8 { return *At[uint8](a) }

// Store8 writes the byte at a.
//
//go:norace
//go:noinline
func Store8(a Addr, b uint8) { *At[uint8](a) = b }

// Load16 reads the two bytes at a, which must be aligned to them.
//
//go:norace
//go:noinline
func Load16(a Addr) uint16 { return *At[uint16](a) }

// Load8At reads the byte at off from p. This form and those below are for the
// shortest ways: the compiler makes the offset a part of the access.
//
//go:norace
//go:noinline
func Load8At(p unsafe.Pointer, off int) uint8 { return *(*uint8)(unsafe.Add(p, off)) }

// Load16At reads the two bytes at off from p, which must be aligned to them.
//
//go:norace
//go:noinline
func Load16At(p unsafe.Pointer, off int) uint16 { return *(*uint16)(unsafe.Add(p, off)) }

// Unlink reads the word at p and writes the byte b at off from p: what a block
// needs that is taken off a list and marked.
//
//go:norace
//go:noinline
func Unlink(p unsafe.Pointer, off int, b uint8) uintptr {
	w := *(*uintptr)(p)
	*(*uint8)(unsafe.Add(p, off)) = b
	return w
}

// Link writes the word w at p and the byte b at off from p: the reverse of
// [Unlink].
//
//go:norace
//go:noinline
func Link(p unsafe.Pointer, w uintptr, off int, b uint8) {
	*(*uint8)(unsafe.Add(p, off)) = b
	*(*uintptr)(p) = w
}
