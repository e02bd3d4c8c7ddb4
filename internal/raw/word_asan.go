//go:build asan

package raw

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
