package raw

import (
	"bytes"
	"math/bits"
	"runtime"
	"testing"
)

func TestRoundUp(t *testing.T) {
	const largest = ^uintptr(0)
	for _, c := range []struct {
		n, to, want uintptr
		ok          bool
	}{
		{0, 1, 0, true}, {0, 16, 0, true}, {1, 1, 1, true}, {1, 16, 16, true}, {15, 16, 16, true}, {16, 16, 16, true},
		{17, 16, 32, true}, {1, 4096, 4096, true}, {4097, 4096, 8192, true}, {12345, 1, 12345, true},
		{largest, 1, largest, true}, {largest - 15, 16, largest - 15, true},
		{largest - 14, 16, 0, false}, {largest, 16, 0, false}, {largest, 2, 0, false}, {largest - 1, 2, largest - 1, true},
		{largest>>1 + 2, largest>>1 + 1, 0, false}, {largest>>1 + 1, largest>>1 + 1, largest>>1 + 1, true},
	} {
		got, ok := RoundUp(c.n, c.to)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("RoundUp(%#x, %#x) = %#x, %t, want %#x, %t", c.n, c.to, got, ok, c.want, c.ok)
		}
	}
}

func TestRoundDown(t *testing.T) {
	const largest = ^uintptr(0)
	for _, c := range [][3]uintptr{
		{0, 16, 0}, {1, 16, 0}, {15, 16, 0}, {16, 16, 16}, {31, 16, 16}, {5000, 4096, 4096}, {7, 1, 7}, {largest, 16, largest - 15},
	} {
		if got := RoundDown(c[0], c[1]); got != c[2] {
			t.Errorf("RoundDown(%#x, %#x) = %#x, want %#x", c[0], c[1], got, c[2])
		}
	}
}

func TestWord(t *testing.T) {
	if Word*8 != bits.UintSize {
		t.Errorf("a word has %d bytes and %d bits", Word, bits.UintSize)
	}
}

// TestAccess goes through every way to look at the same memory.
func TestAccess(t *testing.T) {
	memory := make([]byte, 64)
	defer runtime.KeepAlive(memory)
	a := SliceAddr(memory)
	if AddrOf(a.Pointer()) != a || SliceAddr(memory[8:]) != a+8 || SliceAddr(memory[:0]) != a || SliceAddr(nil) != 0 {
		t.Error("addresses differ")
	}
	if Addr(0).Pointer() != nil {
		t.Error("address 0 is not nil")
	}
	Store(a+Word, 0xCAFE)
	if Load(a+Word) != 0xCAFE || *At[uintptr](a + Word) != 0xCAFE || Load(a) != 0 || Load(a+2*Word) != 0 {
		t.Errorf("% x", memory)
	}
	Fill(a+1, 5, 0xAB)
	if !bytes.Equal(memory[:7], []byte{0, 0xAB, 0xAB, 0xAB, 0xAB, 0xAB, memory[6]}) {
		t.Errorf("Fill: % x", memory[:8])
	}
	b := Bytes(a+1, 5)
	if len(b) != 5 || cap(b) != 5 || &b[0] != &memory[1] {
		t.Errorf("Bytes = % x, capacity %d", b, cap(b))
	}
	Zero(a+2, 3)
	if !bytes.Equal(memory[:6], []byte{0, 0xAB, 0, 0, 0, 0xAB}) {
		t.Errorf("Zero: % x", memory[:8])
	}
}

// TestNothing requires that no bytes at any address are no access.
func TestNothing(t *testing.T) {
	Fill(4096, 0, 1)
	Zero(4096, 0)
	Copy(4096, 8192, 0)
	if b := Bytes(4096, 0); len(b) != 0 {
		t.Errorf("% x", b)
	}
}

// TestCopyOverlapping copies up and down by one byte.
func TestCopyOverlapping(t *testing.T) {
	memory := []byte("0123456789")
	defer runtime.KeepAlive(memory)
	a := SliceAddr(memory)
	Copy(a+1, a, 8)
	if string(memory) != "0012345679" {
		t.Errorf("up: %s", memory)
	}
	Copy(a, a+1, 8)
	if string(memory) != "0123456779" {
		t.Errorf("down: %s", memory)
	}
}
