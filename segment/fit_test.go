package segment

import (
	"math"
	"testing"
	"unsafe"
)

func TestFit(t *testing.T) {
	const most = math.MaxInt
	for _, c := range []struct {
		min, max, unit int
		want           int // 0: refused
	}{
		{1, 1, 4096, 4096},
		{1, 4095, 4096, 4096},
		{4096, 4096, 4096, 4096},
		{4096, 8191, 4096, 4096},
		{4097, 8191, 4096, 8192},
		{1, 100_000, 4096, 98304},
		{1, 100_000, 65536, 65536},
		{65537, 100_000, 65536, 131072},
		{1, 1, 16, 16},
		{1, most, 4096, most - 4095},
		{most - 4095, most, 4096, most - 4095},
		{most - 4095, most - 4095, 4096, most - 4095},
		{most - 4094, most, 4096, 0},
		{most, most, 4096, 0},
		{most, most, 16, 0},
		{most - 65535, most, 65536, most - 65535},
		{most - 65534, most, 65536, 0},
		{0, 0, 4096, 0},
		{0, 4096, 4096, 0},
		{-1, 4096, 4096, 0},
		{math.MinInt, most, 4096, 0},
		{math.MinInt, math.MinInt, 4096, 0},
		{2, 1, 4096, 0},
		{1, 0, 4096, 0},
		{most, math.MinInt, 4096, 0},
	} {
		got, ok := fit(c.min, c.max, c.unit)
		if ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("fit(%d, %d, %d) = %d, %t, want %d", c.min, c.max, c.unit, got, ok, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	s := Segment{Size: 100}
	for _, c := range []struct {
		off, n int
		want   bool
	}{
		{0, 0, true}, {0, 100, true}, {100, 0, true}, {50, 50, true},
		{0, 101, false}, {101, 0, false}, {50, 51, false}, {-1, 1, false}, {1, -1, false},
		{1, math.MaxInt, false}, {math.MaxInt, math.MaxInt, false}, {math.MaxInt, 1, false},
	} {
		if got := within(s, c.off, c.n); got != c.want {
			t.Errorf("within 100 bytes: %d+%d = %t", c.off, c.n, got)
		}
	}
}

func TestWholePages(t *testing.T) {
	buf := make([]byte, 64)
	for off := range 32 {
		for n := range 33 {
			s := Segment{Base: unsafe.Pointer(&buf[0]), Size: 64}
			start, end := wholePages(s, off, n, 8)
			pages := 0
			first := uintptr(unsafe.Pointer(&buf[0])) + uintptr(off)
			for a := first; a < first+uintptr(n); a++ {
				if a%8 == 0 && a+8 <= first+uintptr(n) {
					pages++
				}
			}
			if int(end-start) != pages*8 || pages > 0 && (start%8 != 0 || uintptr(start) < first) {
				t.Errorf("%d bytes at %d: [%#x, %#x), want %d pages", n, off, start, end, pages)
			}
		}
	}
}
