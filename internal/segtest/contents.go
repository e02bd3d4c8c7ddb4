package segtest

import (
	"bytes"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// Fill writes b to every byte of s, which must be committed.
func Fill(s segment.Segment, b byte) { fill(bytesOf(s), b) }

// All reports whether every byte of s is b.
func All(s segment.Segment, b byte) bool {
	bs := bytesOf(s)
	return len(bs) == 0 || bs[0] == b && bytes.Equal(bs[1:], bs[:len(bs)-1])
}

func bytesOf(s segment.Segment) []byte {
	return raw.Bytes(raw.AddrOf(s.Base), uintptr(s.Size))
}

// fill copies in doubling steps: under the race detector every access counts,
// and a loop over bytes would take minutes.
func fill(bs []byte, b byte) {
	if len(bs) == 0 {
		return
	}
	bs[0] = b
	for n := 1; n < len(bs); n *= 2 {
		copy(bs[n:], bs[:n])
	}
}
