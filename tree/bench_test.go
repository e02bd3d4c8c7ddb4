package tree

import (
	"fmt"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// BenchmarkTakeInsert takes the best fit of a random size and puts it back under
// another random size, in a tree that holds a given number of chunks: what one
// allocation and one free of large blocks ask of a tree.
func BenchmarkTakeInsert(b *testing.B) {
	eachTree(b, func(b *testing.B, t *Tree, _ []raw.Addr) {
		d := dice(1)
		for b.Loop() {
			n := t.TakeBestFit(d.size())
			if n == 0 {
				n = t.TakeBestFit(1)
			}
			t.Insert(n, d.size())
		}
	})
}

// BenchmarkBestFit only searches, for a random size.
func BenchmarkBestFit(b *testing.B) {
	eachTree(b, func(b *testing.B, t *Tree, _ []raw.Addr) {
		d := dice(1)
		for b.Loop() {
			t.BestFit(d.size())
		}
	})
}

// BenchmarkRemoveInsert takes a random chunk out, as coalescing does, and puts it
// back under another random size.
func BenchmarkRemoveInsert(b *testing.B) {
	eachTree(b, func(b *testing.B, t *Tree, all []raw.Addr) {
		d := dice(1)
		for b.Loop() {
			n := all[d.roll()%uint64(len(all))]
			t.Remove(n)
			t.Insert(n, d.size())
		}
	})
}

// eachTree runs a benchmark for each kind with trees of several counts of nodes
// in all.
func eachTree(b *testing.B, run func(b *testing.B, t *Tree, all []raw.Addr)) {
	for _, kind := range Kinds() {
		for _, count := range []int{16, 256, 16 << 10, 256 << 10} {
			b.Run(fmt.Sprintf("%v/%d", kind, count), func(b *testing.B) {
				var t Tree
				t.Init(kind)
				all, d := nodes(b, count), dice(2)
				for _, n := range all {
					t.Insert(n, d.size())
				}
				run(b, &t, all)
			})
		}
	}
}

// dice is a generator that costs next to nothing (xorshift64, Marsaglia 2003).
type dice uint64

func (d *dice) roll() uint64 {
	*d ^= *d << 13
	*d ^= *d >> 7
	*d ^= *d << 17
	return uint64(*d)
}

// size returns a size from 1 KiB to 64 MiB; each power of two is as likely as
// the others.
func (d *dice) size() uintptr {
	r := d.roll()
	unit := uint64(1024) << (r % 16)
	return uintptr(unit+r>>8&(unit-1)) &^ (2*raw.Word - 1)
}
