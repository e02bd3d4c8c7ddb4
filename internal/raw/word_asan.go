//go:build asan

package raw

// Under the address sanitizer freed memory is poisoned, and the heap's own
// links lie in freed memory. These two forms are therefore kept out of the
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

// Set sets the given bits of the word at a, which must be aligned to [Word].
//
//go:norace
//go:noinline
func Set(a Addr, bits uintptr) { *At[uintptr](a) |= bits }

// Unset clears the given bits of the word at a, which must be aligned to [Word].
//
//go:norace
//go:noinline
func Unset(a Addr, bits uintptr) { *At[uintptr](a) &^= bits }
