//go:build !asan

package raw

// Load reads the word at a, which must be aligned to [Word].
func Load(a Addr) uintptr { return *At[uintptr](a) }

// Store writes the word at a, which must be aligned to [Word].
func Store(a Addr, w uintptr) { *At[uintptr](a) = w }
