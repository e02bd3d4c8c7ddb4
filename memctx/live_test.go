package memctx

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// TestBitmap compares a bitmap with a slice of bools, at random and at the ends of
// its words.
func TestBitmap(t *testing.T) {
	random := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	for _, n := range []uintptr{1, 63, 64, 65, 200} {
		b, want := bitmap(nil).resized(n), make([]bool, n)
		for range 2000 {
			i, j := random.Uint64N(uint64(n)), random.Uint64N(uint64(n))
			lo, hi := uintptr(min(i, j)), uintptr(max(i, j))
			switch random.IntN(8) {
			case 0:
				b.clear(lo)
				want[lo] = false
			case 1:
				b.clearRange(lo, hi)
				clear(want[lo:hi])
			case 2:
				b.clearRange(lo, n)
				clear(want[lo:])
			default:
				b.set(lo)
				want[lo] = true
			}
			last, found := b.last(hi)
			wantLast, wantFound := uintptr(0), false
			for k := range hi + 1 {
				if want[k] {
					wantLast, wantFound = k, true
				}
			}
			if b.has(hi) != want[hi] || found != wantFound || found && last != wantLast {
				t.Fatalf("of %d: has(%d) = %t, last = %d, %t, want %t, %d, %t", n, hi, b.has(hi), last, found, want[hi], wantLast, wantFound)
			}
		}
		for _, m := range []uintptr{n / 2, n, 2 * n} {
			r := b.resized(m)
			for k := range m {
				if r.has(k) != (k < n && want[k]) {
					t.Fatalf("resized from %d to %d: %d is %t", n, m, k, r.has(k))
				}
			}
		}
	}
}

// TestBlockMaps asks about addresses around segments of which one begins where no
// block can, and one ends at the end of the address space.
func TestBlockMaps(t *testing.T) {
	var bm blockMaps
	at := func(base raw.Addr, size int) segment.Segment {
		return segment.Segment{Base: base.Pointer(), Size: size}
	}
	high := ^raw.Addr(0) &^ 0xffff
	segments := []segment.Segment{at(0x30003, 0x1000), at(0x10000, 0x8000), at(high, 0x10000)}
	for _, s := range segments {
		bm.add(s, blockMap{})
	}
	for _, b := range []raw.Addr{0x10010, 0x17ff0, 0x30010, high + 0x10, ^raw.Addr(0) &^ (chunk.Align - 1)} {
		if bm.isLive(b) {
			t.Errorf("%#x is live", b)
		}
		bm.born(b, b+chunk.Align)
		for _, a := range []raw.Addr{b - chunk.Align, b - 1, b, b + 1, b + chunk.Align} {
			if bm.isLive(a) != (a == b) {
				t.Errorf("%#x: isLive(%#x) = %t", b, a, bm.isLive(a))
			}
		}
		if got := bm.find(b).before(b + 1); got != b {
			t.Errorf("before(%#x) = %#x", b+1, got)
		}
		bm.died(b)
		if m := bm.find(b); bm.isLive(b) || !m.was.has(m.place(b)) || m.before(b) == b {
			t.Errorf("%#x has not died", b)
		}
		bm.born(b, b+chunk.Align)
		if m := bm.find(b); m.was.has(m.place(b)) {
			t.Errorf("%#x was freed, and is live again", b)
		}
	}
	for _, a := range []raw.Addr{0, 1, chunk.Align, 0xfff0, 0x18000, 0x2fff0, 0x31010, high - chunk.Align} {
		if bm.isLive(a) || bm.find(a) != nil {
			t.Errorf("%#x is in a segment", a)
		}
	}
	if n := bm.count(); n != 5 {
		t.Errorf("%d live blocks, want 5", n)
	}
	known := bm.remove(segments[1])
	bm.add(at(0x50000, 0x4000), known)
	if bm.find(0x10010) != nil || !bm.isLive(0x50010) || bm.count() != 4 {
		t.Errorf("moved and shrunk: %d live blocks", bm.count())
	}
	bm.forget()
	if m := bm.find(0x50010); bm.count() != 0 || !m.was.has(m.place(0x50010)) {
		t.Errorf("forgotten: %d live blocks", bm.count())
	}
}

// TestSitesOfLiveBlocksOnly requires that nothing is kept of the dead but what
// waits.
func TestSitesOfLiveBlocksOnly(t *testing.T) {
	mc, err := New(&Options{Stacks: true, Provider: segment.Heap()})
	if err != nil {
		t.Fatal(err)
	}
	defer mc.abandon()
	for _, end := range []func(p []unsafe.Pointer) error{
		func(p []unsafe.Pointer) error { mc.FreeMany(p); return nil },
		func(p []unsafe.Pointer) error { return mc.Reset() },
	} {
		p := make([]unsafe.Pointer, 100)
		if err := mc.AllocMany(p, 10); err != nil {
			t.Fatal(err)
		}
		if p[0], err = mc.Realloc(p[0], 10_000); err != nil {
			t.Fatal(err)
		}
		if n := len(mc.watch.sites); n != 100 {
			t.Errorf("%d sites of 100 blocks", n)
		}
		if err := end(p); err != nil {
			t.Fatal(err)
		}
		if n := len(mc.watch.sites); n != 0 {
			t.Errorf("%d sites of no blocks", n)
		}
	}
}
