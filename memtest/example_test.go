package memtest_test

import (
	"fmt"
	"strings"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memtest"
)

// node is an element of a list outside the Go heap.
type node struct {
	next  memctx.Addr
	value int
}

// list makes a list of n nodes.
func list(mc *memctx.Context, n int) (head memctx.Addr) {
	for i := range n {
		p, err := mc.Alloc(24)
		if err != nil {
			panic(err)
		}
		*(*node)(p) = node{head, i}
		head = memctx.AddrOf(p)
	}
	return head
}

// free frees a list, and has a mistake: the last node stays.
func free(mc *memctx.Context, head memctx.Addr) {
	for head != 0 {
		next := (*node)(head.Pointer()).next
		if next != 0 {
			mc.Free(head.Pointer())
		}
		head = next
	}
}

// A test of a list finds a leak, and where the block came from. The report stands
// in for *testing.T.
func ExampleNew() {
	t := &report{}
	mc := memtest.New(t, nil)
	free(mc, list(mc, 10))

	for _, f := range t.cleanups { // what the end of a test does
		f()
	}
	first, rest, _ := strings.Cut(t.errors[0], ", allocated at")
	fmt.Println(first)
	_, function, _ := strings.Cut(rest, "memtest_test.")
	function, _, _ = strings.Cut(function, "\n")
	fmt.Println("allocated in", function)
	// Output:
	// memctx: 1 block of 24 bytes not freed
	// allocated in list
}
