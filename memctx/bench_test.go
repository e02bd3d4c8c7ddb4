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

// BenchmarkCalls measures the calls that do more than Alloc and Free, each with what
// gives its block back.
func BenchmarkCalls(b *testing.B) {
	mc, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mc.Close()
	text := make([]byte, 64)
	block, err := mc.Alloc(64)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		call func()
	}{
		{"Alloc", func() { p, _ := mc.Alloc(64); mc.Free(p) }},
		{"AllocZeroed64", func() { p, _ := mc.AllocZeroed(4, 16); mc.Free(p) }},
		{"AllocZeroed1024", func() { p, _ := mc.AllocZeroed(64, 16); mc.Free(p) }},
		{"AllocAligned64", func() { p, _ := mc.AllocAligned(64, 64); mc.Free(p) }},
		{"Bytes64", func() { s, _ := mc.Bytes(64); mc.FreeBytes(s) }},
		{"CloneBytes64", func() { s, _ := mc.CloneBytes(text); mc.FreeBytes(s) }},
		{"FreeSized", func() { p, _ := mc.Alloc(64); mc.FreeSized(p, 64, 0) }},
		{"UsableSize", func() { mc.UsableSize(block) }},
		{"Contains", func() { mc.Contains(block) }},
		{"Realloc1", func() { block, _ = mc.Realloc(block, 64) }},
		{"Realloc6", func() { growInSteps(mc) }},
		{"TryResize", func() { mc.TryResize(block, 64) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				c.call()
			}
		})
	}
}

// growInSteps lets a block grow from 16 to 512 bytes, as one that is appended to.
func growInSteps(mc *Context) {
	var p unsafe.Pointer
	for n := 16; n <= 512; n *= 2 {
		p, _ = mc.Realloc(p, n)
	}
	mc.Free(p)
}
