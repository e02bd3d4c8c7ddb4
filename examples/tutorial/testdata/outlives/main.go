// Command outlives has a goroutine that reads what its request no longer owns. It
// is a mistake that the race detector reports, in memory of the Go heap.
package main

import (
	"fmt"
	"log"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

func main() {
	pool := memctx.NewPool(&memctx.Options{Provider: segment.Heap()}, 1)
	audit := make(chan string)
	for _, user := range []string{"ann", "bob"} {
		handle(pool, user, audit)
	}
	fmt.Println(<-audit)
	fmt.Println(<-audit)
}

// handle serves a request.
func handle(pool *memctx.Pool, user string, audit chan<- string) {
	mc, err := pool.Get()
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Put(mc)
	name, err := mc.CloneBytes([]byte(user))
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		audit <- "served " + string(name) // whose name is it by now?
	}()
}
