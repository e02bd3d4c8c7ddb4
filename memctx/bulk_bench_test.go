package memctx

import (
	"fmt"
	"testing"
	"unsafe"
)

// BenchmarkMany makes and frees batches of 64-byte blocks, in a loop of single calls
// and with one call for all. An operation is one block.
func BenchmarkMany(b *testing.B) {
	for _, n := range []int{64, 10_000} {
		batch := make([]unsafe.Pointer, n)
		b.Run(fmt.Sprintf("single/%d", n), func(b *testing.B) {
			eachBatch(b, n, func(mc *Context) {
				for i := range batch {
					batch[i], _ = mc.Alloc(64)
				}
				for i := range batch {
					mc.Free(batch[i])
				}
			})
		})
		b.Run(fmt.Sprintf("many/%d", n), func(b *testing.B) {
			eachBatch(b, n, func(mc *Context) {
				mc.AllocMany(batch, 64)
				mc.FreeMany(batch)
			})
		})
	}
}

func eachBatch(b *testing.B, n int, f func(mc *Context)) {
	mc, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mc.Close()
	for i := 0; i < b.N; i += n {
		f(mc)
	}
}
