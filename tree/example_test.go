package tree_test

import (
	"flag"
	"fmt"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/tree"
)

// memory stands in for a segment with three free chunks in it.
var memory = make([]byte, 3*4096)

func ExampleTree() {
	var free tree.Tree
	free.Init(tree.Trie)
	base := raw.SliceAddr(memory)
	free.Insert(base, 4096)
	free.Insert(base+4096, 1024)
	free.Insert(base+8192, 2048)

	for _, size := range []uintptr{1500, 1500, 5000} {
		node := free.TakeBestFit(size)
		if node == 0 {
			fmt.Printf("%d bytes: none\n", size)
			continue
		}
		fmt.Printf("%d bytes: the chunk at offset %d\n", size, node-base)
	}
	fmt.Printf("%d chunk of %d bytes is left\n", free.Count(), free.Bytes())
	// Output:
	// 1500 bytes: the chunk at offset 8192
	// 1500 bytes: the chunk at offset 0
	// 5000 bytes: none
	// 1 chunk of 1024 bytes is left
}

func ExampleTree_All() {
	var free tree.Tree
	base := raw.SliceAddr(memory)
	free.Insert(base, 4096)
	free.Insert(base+4096, 1024)
	free.Insert(base+8192, 1024)
	for node, size := range free.All() {
		fmt.Printf("%d bytes at offset %d\n", size, node-base)
	}
	// Output:
	// 1024 bytes at offset 4096
	// 1024 bytes at offset 8192
	// 4096 bytes at offset 0
}

func ExampleKind() {
	var kind tree.Kind
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.TextVar(&kind, "tree", tree.RB, "how large free chunks are kept")
	if err := flags.Parse([]string{"-tree", "avl"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(kind)
	fmt.Println(kind.UnmarshalText([]byte("splay")))
	// Output:
	// avl
	// unknown tree kind "splay": valid kinds are rb, avl, trie
}
