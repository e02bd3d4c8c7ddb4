package diag

import (
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// TestEveryGuardByte overwrites each byte of guards of several lengths at several
// addresses with values that are close to the pattern and far from it.
func TestEveryGuardByte(t *testing.T) {
	memory := make([]byte, 128)
	defer runtime.KeepAlive(memory)
	p := PatternOf(7)
	for _, n := range []int{0, 1, 7, 8, 16, 17, 64} {
		for _, from := range []int{16, 19} {
			guard := memory[from : from+n]
			a := raw.SliceAddr(memory) + raw.Addr(from)
			clear(memory)
			p.Set(a, uintptr(n))
			if i, broken := p.Check(a, uintptr(n)); broken {
				t.Fatalf("a fresh guard of %d bytes is broken at %d", n, i)
			}
			if memory[from-1] != 0 || memory[from+n] != 0 {
				t.Fatalf("a guard of %d bytes reaches further", n)
			}
			for i := range guard {
				right := guard[i]
				for _, b := range []byte{0, 0xff, right - 1, right ^ 0x80} {
					guard[i] = b
					if at, broken := p.Check(a, uintptr(n)); !broken || at != i {
						t.Fatalf("byte %d of %d is %#x: Check = %d, %t", i, n, b, at, broken)
					}
				}
				guard[i] = right
			}
		}
	}
}

// TestPatternsDiffer looks at many patterns: their bytes are what they have to
// be, and no two are alike at more than a few places.
func TestPatternsDiffer(t *testing.T) {
	seen := map[Pattern]uint64{}
	for n := range uint64(10_000) {
		p := PatternOf(n)
		if other, found := seen[p]; found {
			t.Fatalf("patterns %d and %d are equal: % x", n, other, p)
		}
		seen[p] = n
		same, next := 0, PatternOf(n+1)
		for i, b := range p {
			if b&0x81 != 0x81 || b == 0xff || b == FillAlloc || b == FillFree {
				t.Fatalf("byte %d of pattern %d is %#x", i, n, b)
			}
			if b == next[i] {
				same++
			}
		}
		if same > 4 {
			t.Errorf("patterns %d and %d share %d bytes: % x, % x", n, n+1, same, p, next)
		}
	}
}

// TestGuardOfAnother requires that a guard copied from elsewhere is broken, be it
// another pattern's or one that was moved by less than a pattern.
func TestGuardOfAnother(t *testing.T) {
	memory := make([]byte, 64)
	defer runtime.KeepAlive(memory)
	a := raw.SliceAddr(memory)
	p, other := PatternOf(1), PatternOf(2)
	other.Set(a, 16)
	if _, broken := p.Check(a, 16); !broken {
		t.Error("another's guard looks right")
	}
	p.Set(a, 16)
	copy(memory[17:33], memory[:16])
	if _, broken := p.Check(a+17, 16); !broken {
		t.Error("a guard that was moved looks right")
	}
}

func TestShow(t *testing.T) {
	memory := []byte("what was found in the guard")
	defer runtime.KeepAlive(memory)
	a := raw.SliceAddr(memory)
	p := PatternOf(3)
	want, got := p.Show(a+1, 3)
	if string(got) != "hat" || len(want) != 3 || want[0] != p.at(a+1) || want[2] != p.at(a+3) {
		t.Errorf("Show = % x, %q", want, got)
	}
	if want, got = p.Show(a, uintptr(len(memory))); len(got) != shown || len(want) != shown {
		t.Errorf("Show = %d and %d bytes", len(want), len(got))
	}
	memory[1] = 'H'
	if got[1] != 'h' {
		t.Error("what is shown is no copy")
	}
}
