package memctx_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

func ExampleContext() {
	mc, err := memctx.New(&memctx.Options{Name: "example", Limit: 64 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	p, err := mc.AllocZeroed(1000, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	numbers := unsafe.Slice((*int64)(p), 1000)
	numbers[999] = 42
	fmt.Println(numbers[0], numbers[999], mc.UsableSize(p) >= 8000)
	mc.Free(p)
	// Output:
	// 0 42 true
}

func ExampleScope() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		for range 1000 {
			if _, err := mc.Alloc(100); err != nil {
				return err
			}
		}
		fmt.Println(mc.Stats().Blocks, "blocks, none of them freed")
		return nil
	})
	fmt.Println("closed:", err)
	// Output:
	// 1000 blocks, none of them freed
	// closed: <nil>
}

// A buffer of the caller's serves nearly all of its bytes.
func ExampleOptions_provider() {
	o := memctx.Options{Provider: segment.Fixed(make([]byte, 1<<20))}
	err := memctx.Scope(&o, func(mc *memctx.Context) error {
		served := 0
		for {
			if _, err := mc.Alloc(1000); err != nil {
				fmt.Println("more than 900 KiB served:", served > 900<<10)
				fmt.Println(errors.Is(err, memctx.ErrNoMemory), mc.Footprint() <= 1<<20)
				return nil
			}
			served += 1000
		}
	})
	fmt.Println(err)
	// Output:
	// more than 900 KiB served: true
	// true true
	// <nil>
}

func ExampleOptions() {
	var fromFile memctx.Options
	err := json.Unmarshal([]byte(`{"name": "tenant 7", "limit": "64MiB", "tree": "trie"}`), &fromFile)
	fmt.Println(fromFile.Limit, fromFile.Tree, err)

	err = json.Unmarshal([]byte(`{"limt": "64MiB"}`), &fromFile)
	fmt.Println(err)
	// Output:
	// 64MiB trie <nil>
	// memctx options: unknown key "limt"; the keys are name, limit, retain, tree, exactsize, guard, checked, stacks
}

func ExampleOptions_Set() {
	o := memctx.Options{Tree: tree.AVL}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.Var(&o, "heap", "settings of the `heap`")
	err := flags.Parse([]string{"-heap", "limit=64MiB,guard"})
	fmt.Println(o.Limit, o.Tree, o.Guard, err)
	fmt.Println(&o)
	// Output:
	// 64MiB avl true <nil>
	// limit=64MiB,tree=avl,guard=true
}

func ExampleSize() {
	for _, text := range []string{"64MiB", "1 GB", "4096"} {
		size, err := memctx.ParseSize(text)
		fmt.Println(int(size), size, err)
	}
	// Output:
	// 67108864 64MiB <nil>
	// 1000000000 1000000000B <nil>
	// 4096 4KiB <nil>
}

func ExampleError() {
	mc, err := memctx.New(&memctx.Options{Name: "tenant 7", Limit: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	_, err = mc.Alloc(2 << 20)
	var refusal *memctx.Error
	if errors.Is(err, memctx.ErrLimit) && errors.As(err, &refusal) {
		fmt.Println(refusal.By, "wanted", refusal.N, "bytes within", memctx.Size(refusal.Limit))
	}
	fmt.Println(err)
	// Output:
	// tenant 7 wanted 2097152 bytes within 1MiB
	// memctx: Alloc of 2097152 bytes in context "tenant 7": memory limit reached (limit 1MiB, footprint 0B)
}

// node is an element of a list that lies outside the Go heap: it links by
// address.
type node struct {
	value int64
	next  memctx.Addr
}

func at(a memctx.Addr) *node { return (*node)(a.Pointer()) }

func ExampleAddr() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		var head memctx.Addr
		for i := range int64(4) {
			p, err := mc.Alloc(int(unsafe.Sizeof(node{})))
			if err != nil {
				return err
			}
			*(*node)(p) = node{value: i * i, next: head}
			head = memctx.AddrOf(p)
		}
		for a := head; a != 0; a = at(a).next {
			fmt.Println(at(a).value)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 9
	// 4
	// 1
	// 0
	// <nil>
}

// An index of addresses alone: what is behind them is read when it is needed.
func ExampleAddr_Bytes() {
	mc, err := memctx.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	p, err := mc.Alloc(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	index := map[string]memctx.Addr{"motto": memctx.AddrOf(p)}
	n := copy(index["motto"].Bytes(100), "a copy of constant length")
	fmt.Printf("%s\n", index["motto"].Bytes(n))
	// Output:
	// a copy of constant length
}

func ExampleContext_Bytes() {
	mc, err := memctx.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	b, err := mc.Bytes(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b)
	copy(b, "bytes")
	fmt.Println(string(b))
	mc.FreeBytes(b)
	// Output:
	// [0 0 0 0 0]
	// bytes
}

func ExampleContext_Free() {
	mc, err := memctx.New(&memctx.Options{Name: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	p, err := mc.Alloc(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	mc.Free(p)
	defer func() {
		if fault, ok := recover().(*diag.Fault); ok {
			fmt.Println(fault.Op, "in", fault.Context, "was a", fault.Kind)
			fmt.Println("the heap is sound:", mc.Check() == nil)
		}
	}()
	mc.Free(p)
	// Output:
	// Free in example was a double free
	// the heap is sound: true
}

func ExampleContext_Blocks() {
	mc, err := memctx.New(&memctx.Options{ExactSize: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	for n := 10; n < 40; n += 10 {
		if _, err := mc.Alloc(n); err != nil {
			fmt.Println(err)
		}
	}
	for b := range mc.Blocks() {
		fmt.Println(b.Size, "bytes have not been freed")
	}
	// Unordered output:
	// 10 bytes have not been freed
	// 20 bytes have not been freed
	// 30 bytes have not been freed
}
