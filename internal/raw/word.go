//go:build !asan

package raw

// Load reads the word at a, which must be aligned to [Word].
func Load(a Addr) uintptr { return *At[uintptr](a) }

// Store writes the word at a, which must be aligned to [Word].
func Store(a Addr, w uintptr) { *At[uintptr](a) = w }

// Set sets the given bits of the word at a, which must be aligned to [Word].
func Set(a Addr, bits uintptr) { *At[uintptr](a) |= bits }

// Unset clears the given bits of the word at a, which must be aligned to [Word].
func Unset(a Addr, bits uintptr) { *At[uintptr](a) &^= bits }
