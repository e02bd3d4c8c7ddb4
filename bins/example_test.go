package bins_test

import (
	"fmt"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// memory stands in for a segment.
var memory = make([]byte, 4096)

func ExampleList() {
	var l bins.List
	base := raw.SliceAddr(memory)
	for i := range 3 { // three blocks come back
		l.Push(base + raw.Addr(i)*1024)
		l.Held++
	}
	b := l.Pop()
	l.Allocs++
	fmt.Printf("the block at offset %d is used again, %d are cached\n", b-base, l.Cached())
	// Output:
	// the block at offset 2048 is used again, 2 are cached
}

func ExampleLists() {
	var lists bins.Lists
	class := bins.ForRequest(1000)
	lists.Of(class).Held, lists.Of(class).Allocs, lists.Of(class).Frees = 5, 10, 6
	fmt.Println(lists.LiveBytes()/bins.SizeOf(class), "live,", lists.CachedBytes()/bins.SizeOf(class), "cached")
	fmt.Println("requests of 1000 bytes and of 1 share a class:", class == bins.ForRequest(1))
	// Output:
	// 4 live, 1 cached
	// requests of 1000 bytes and of 1 share a class: false
}

func ExampleSmall() {
	var free bins.Small
	base := raw.SliceAddr(memory)
	free.Insert(base, 10*chunk.Align)
	free.Insert(base+1024, 20*chunk.Align)

	b, size := free.Take(12 * chunk.Align)
	fmt.Printf("the chunk of %d units at offset %d fits 12 units\n", size/chunk.Align, b-base)
	b, _ = free.Take(12 * chunk.Align)
	fmt.Printf("then none does: %d\n", b)
	fmt.Printf("%d chunk of %d units is left\n", free.Count(), free.Bytes()/chunk.Align)
	// Output:
	// the chunk of 20 units at offset 1024 fits 12 units
	// then none does: 0
	// 1 chunk of 10 units is left
}
