package diag

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// TestEveryFreedByte fills memory of several lengths and changes each byte.
func TestEveryFreedByte(t *testing.T) {
	memory := make([]byte, 128)
	defer runtime.KeepAlive(memory)
	a := raw.SliceAddr(memory) + 16
	for _, n := range []int{0, 1, 2, 7, 8, 64, 100} {
		clear(memory)
		Freed(a, uintptr(n))
		if i, changed := CheckFreed(a, uintptr(n)); changed || memory[15] != 0 || memory[16+n] != 0 {
			t.Fatalf("%d bytes filled: CheckFreed = %d, %t, % x", n, i, changed, memory)
		}
		for i := range n {
			memory[16+i] ^= 1
			if at, changed := CheckFreed(a, uintptr(n)); !changed || at != i {
				t.Fatalf("byte %d of %d changed: CheckFreed = %d, %t", i, n, at, changed)
			}
			memory[16+i] ^= 1
		}
	}
	Fresh(a, 3)
	if !bytes.Equal(memory[16:20], []byte{FillAlloc, FillAlloc, FillAlloc, FillFree}) {
		t.Errorf("Fresh: % x", memory[16:20])
	}
	want, got := ShowFreed(a+1, 100)
	if len(want) != shown || len(got) != shown || want[0] != FillFree || got[0] != FillAlloc || got[2] != FillFree {
		t.Errorf("ShowFreed = % x, % x", want, got)
	}
}
