package memctx

import (
	"testing"
	"unsafe"
)

//go:noinline
func emptyCall(n int) (unsafe.Pointer, error) { return nil, nil }

func BenchmarkEmptyCall(b *testing.B) {
	for range b.N {
		emptyCall(64)
	}
}

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
