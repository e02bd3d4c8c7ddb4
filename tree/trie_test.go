package tree

import (
	"math/bits"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

func TestBinShiftIsSmallestLargeChunk(t *testing.T) {
	if got, want := 1<<binShift, 64*2*raw.Word; got != want {
		t.Errorf("bin 1 begins at %d, want %d", got, want)
	}
}

// TestBins checks at every edge that bins ascend, and that all sizes of a bin
// agree in the bits above those it leaves open.
func TestBins(t *testing.T) {
	if binOf(0) != 0 || binOf(1<<binShift-1) != 0 || binOf(1<<binShift) != 1 || binOf(^uintptr(0)) != lastBin {
		t.Errorf("binOf at the ends: %d %d %d %d", binOf(0), binOf(1<<binShift-1), binOf(1<<binShift), binOf(^uintptr(0)))
	}
	for log := binShift; log < bits.UintSize; log++ {
		low := uintptr(1) << log
		middle := low + low/2
		first := min(uint(2*(log-binShift)+1), lastBin)
		second := min(first+1, lastBin)
		for size, want := range map[uintptr]uint{low: first, middle - 1: first, middle: second, low + (low - 1): second} {
			if got := binOf(size); got != want {
				t.Errorf("binOf(%#x) = %d, want %d", size, got, want)
			}
		}
		if first == lastBin || first+1 == lastBin {
			continue // the last bin leaves all bits open
		}
		if got, want := openShift(first), uint(bits.LeadingZeros(uint(low)))+2; got != want {
			t.Errorf("openShift(%d) = %d, want %d", first, got, want)
		}
		if openShift(first) != openShift(second) {
			t.Errorf("openShift(%d) = %d and openShift(%d) = %d", first, openShift(first), second, openShift(second))
		}
	}
}

// TestDeepestTrie hangs one node on every level of one bin: a chain that shares
// all but one bit fewer with every step.
func TestDeepestTrie(t *testing.T) {
	var tree Tree
	tree.Init(Trie)
	all := nodes(t, bits.UintSize+1)
	tree.Insert(all[0], ^uintptr(0))
	for i, n := range all[1:] {
		tree.Insert(n, ^uintptr(0)-uintptr(1)<<(bits.UintSize-1-i))
		if err := tree.Check(); err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
	}
	for count := len(all); count > 0; count-- {
		largest := Size(tree.Max())
		if got := tree.TakeBestFit(largest); Size(got) != largest {
			t.Fatalf("TakeBestFit(%#x) has size %#x", largest, Size(got))
		}
		if err := tree.Check(); err != nil {
			t.Fatal(err)
		}
	}
}
