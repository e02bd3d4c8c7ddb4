package memctx

import (
	"testing"
	"unsafe"
)

//go:noinline
func emptyCall(n int) (unsafe.Pointer, error) { return nil, nil }

// BenchmarkEmptyCall measures the yardstick four times. The loops differ in what
// stands before them: where a loop as short as this begins in a line of the
// instruction cache moves its time by up to a third.
func BenchmarkEmptyCall(b *testing.B) {
	b.Run("1", func(b *testing.B) {
		for range b.N {
			emptyCall(64)
		}
	})
	b.Run("2", func(b *testing.B) {
		before[0] = 1
		for range b.N {
			emptyCall(64)
		}
	})
	b.Run("3", func(b *testing.B) {
		before[0], before[1] = 1, 2
		for range b.N {
			emptyCall(64)
		}
	})
	b.Run("4", func(b *testing.B) {
		before[0], before[1], before[2] = 1, 2, 3
		for range b.N {
			emptyCall(64)
		}
	})
}

var before [3]int

func BenchmarkPair(b *testing.B) {
	mc, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mc.Close()
	for range b.N {
		p, _ := mc.Alloc(64)
		mc.Free(p)
	}
}

func BenchmarkPairBatch64(b *testing.B) {
	mc, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mc.Close()
	var batch [64]unsafe.Pointer
	for i := 0; i < b.N; i += len(batch) {
		for j := range batch {
			batch[j], _ = mc.Alloc(64)
		}
		for j := range batch {
			mc.Free(batch[j])
		}
	}
}
