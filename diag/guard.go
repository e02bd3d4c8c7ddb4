package diag

import "github.com/cookmem-go/cookmem/internal/raw"

// Pattern is what guards are filled with: eight bytes, of which the one at an
// address is chosen by the address, so that it does not matter where a guard
// begins. Each context has one of its own. What a copy of a whole block with its
// surroundings brings from another context is thereby seen as wrong.
//
// Every byte is odd and above 0x80, so that a pointer made of it faults, and
// none is 0xff, [FillAlloc] or [FillFree].
type Pattern [8]byte

// PatternOf returns the pattern number n. Numbers near each other have patterns
// that differ in most bytes.
func PatternOf(n uint64) (p Pattern) {
	// The finalizer of Vigna's SplitMix64: each bit of n changes half of the result.
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	n ^= n >> 31
	for i := range p {
		p[i] = byte(n>>(8*i)) | 0x81
		if p[i] == 0xff || p[i] == FillAlloc || p[i] == FillFree {
			p[i] ^= 0x12
		}
	}
	return p
}

// at returns the byte that belongs at an address.
func (p *Pattern) at(a raw.Addr) byte { return p[a%raw.Addr(len(p))] }

// Set fills the n bytes at a.
func (p *Pattern) Set(a raw.Addr, n uintptr) {
	for i, s := 0, raw.Bytes(a, n); i < len(s); i++ {
		s[i] = p.at(a + raw.Addr(i))
	}
}

// Check returns the offset of the first of the n bytes at a that is not the
// pattern's, and whether there is one.
func (p *Pattern) Check(a raw.Addr, n uintptr) (offset int, broken bool) {
	for i, b := range raw.Bytes(a, n) {
		if b != p.at(a+raw.Addr(i)) {
			return i, true
		}
	}
	return 0, false
}

// shown is the number of bytes that a fault shows.
const shown = 16

// Show returns the bytes that a fault shows of the n bytes at a: what should
// be there and a copy of what is.
func (p *Pattern) Show(a raw.Addr, n uintptr) (want, got []byte) {
	got = append(got, raw.Bytes(a, min(n, shown))...)
	for i := range got {
		want = append(want, p.at(a+raw.Addr(i)))
	}
	return want, got
}
