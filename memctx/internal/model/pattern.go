package model

import (
	"bytes"
	"math/rand/v2"
)

// pattern is what blocks are filled with: any place of it looks like no other.
var pattern = func() []byte {
	p := make([]byte, 64<<10)
	r := rand.New(rand.NewPCG(20, 26))
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}()

var zeroes = make([]byte, len(pattern))

// fill writes the pattern from offset at on to b.
func fill(b []byte, at int) {
	for len(b) > 0 {
		b = b[copy(b, pattern[at:]):]
		at = 0
	}
}

// differs returns the index of the first byte of b that is not the pattern's
// from offset at on, or -1.
func differs(b []byte, at int) int {
	for from := 0; from < len(b); at = 0 {
		n := min(len(b)-from, len(pattern)-at)
		if !bytes.Equal(b[from:from+n], pattern[at:at+n]) {
			for i := range n {
				if b[from+i] != pattern[at+i] {
					return from + i
				}
			}
		}
		from += n
	}
	return -1
}

// isZero reports whether every byte of b is zero.
func isZero(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(zeroes))
		if !bytes.Equal(b[:n], zeroes[:n]) {
			return false
		}
		b = b[n:]
	}
	return true
}
