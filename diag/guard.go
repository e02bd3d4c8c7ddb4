package diag

import "github.com/cookmem-go/cookmem/internal/raw"

// GuardByte fills the guards before and after a block. It is odd, so that a
// pointer made of it faults, and no small integer, zero or 0xff looks like it.
const GuardByte = 0xfd

// shown is the number of bytes that a fault shows.
const shown = 16

// SetGuard fills the n bytes at a with the guard pattern.
func SetGuard(a raw.Addr, n uintptr) { raw.Fill(a, n, GuardByte) }

// CheckGuard returns the offset of the first of the n bytes at a that is not
// the guard pattern, and whether there is one. It stops after the first.
func CheckGuard(a raw.Addr, n uintptr) (offset int, broken bool) {
	for i, b := range raw.Bytes(a, n) {
		if b != GuardByte {
			return i, true
		}
	}
	return 0, false
}

// Show returns the bytes that a fault shows of the n bytes at a: what should
// be there and a copy of what is.
func Show(a raw.Addr, n uintptr) (want, got []byte) {
	got = append(got, raw.Bytes(a, min(n, shown))...)
	for range got {
		want = append(want, GuardByte)
	}
	return want, got
}
