package diag

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// TestEveryGuardByte overwrites each byte of guards of several lengths with
// values that are close to the pattern and far from it.
func TestEveryGuardByte(t *testing.T) {
	memory := make([]byte, 128)
	defer runtime.KeepAlive(memory)
	for _, n := range []int{0, 1, 7, 8, 16, 17, 64} {
		guard := memory[16 : 16+n]
		a := raw.SliceAddr(memory) + 16
		clear(memory)
		SetGuard(a, uintptr(n))
		if i, broken := CheckGuard(a, uintptr(n)); broken {
			t.Fatalf("a fresh guard of %d bytes is broken at %d", n, i)
		}
		if memory[15] != 0 || memory[16+n] != 0 {
			t.Fatalf("a guard of %d bytes reaches further", n)
		}
		for i := range guard {
			for _, b := range []byte{0, 0xff, GuardByte - 1, GuardByte ^ 0x80} {
				guard[i] = b
				if at, broken := CheckGuard(a, uintptr(n)); !broken || at != i {
					t.Fatalf("byte %d of %d is %#x: CheckGuard = %d, %t", i, n, b, at, broken)
				}
			}
			guard[i] = GuardByte
		}
	}
}

func TestShow(t *testing.T) {
	memory := []byte("what was found in the guard")
	defer runtime.KeepAlive(memory)
	a := raw.SliceAddr(memory)
	want, got := Show(a, 4)
	if string(got) != "what" || !bytes.Equal(want, bytes.Repeat([]byte{GuardByte}, 4)) {
		t.Errorf("Show = % x, %q", want, got)
	}
	if want, got = Show(a, uintptr(len(memory))); len(got) != shown || len(want) != shown {
		t.Errorf("Show = %d and %d bytes", len(want), len(got))
	}
	memory[0] = 'W'
	if got[0] != 'w' {
		t.Error("what is shown is no copy")
	}
}
