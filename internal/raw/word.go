//go:build !asan

package raw

// Load reads the word at a, which must be aligned to [Word].
func Load(a Addr) uintptr { return *At[uintptr](a) }

// Store writes the word at a, which must be aligned to [Word].
func Store(a Addr, w uintptr) { *At[uintptr](a) = w }

// Load8 reads the byte at a.
func Load8(a Addr) uint8 { return *At[uint8](a) }

// Store8 writes the byte at a.
func Store8(a Addr, b uint8) { *At[uint8](a) = b }

// Load16 reads the two bytes at a, which must be aligned to them.
func Load16(a Addr) uint16 { return *At[uint16](a) }
