package diag

import (
	"bytes"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// What checked heaps fill blocks with. A program that reads what it never wrote,
// or what it has freed, meets numbers that are large, odd and no pointers.
const (
	FillAlloc = 0xa5 // memory that was handed out and not yet written to
	FillFree  = 0xdd // memory that was freed
)

// Freed fills n bytes at a as freed.
func Freed(a raw.Addr, n uintptr) { fill(raw.Bytes(a, n), FillFree) }

// Fresh fills n bytes at a as handed out.
func Fresh(a raw.Addr, n uintptr) { fill(raw.Bytes(a, n), FillAlloc) }

// fill doubles what is done: a loop over bytes takes ages under the race
// detector.
func fill(s []byte, b byte) {
	if len(s) == 0 {
		return
	}
	s[0] = b
	for done := 1; done < len(s); done *= 2 {
		copy(s[done:], s[:done])
	}
}

// CheckFreed returns the offset of the first of the n bytes at a that is not as
// [Freed] left it, and whether there is one.
func CheckFreed(a raw.Addr, n uintptr) (offset int, changed bool) {
	s := raw.Bytes(a, n)
	if n == 0 || s[0] == FillFree && bytes.Equal(s[1:], s[:n-1]) {
		return 0, false
	}
	for s[offset] == FillFree {
		offset++
	}
	return offset, true
}

// ShowFreed is Show of [Pattern] for freed memory.
func ShowFreed(a raw.Addr, n uintptr) (want, got []byte) {
	got = append(got, raw.Bytes(a, min(n, shown))...)
	want = make([]byte, len(got))
	fill(want, FillFree)
	return want, got
}
