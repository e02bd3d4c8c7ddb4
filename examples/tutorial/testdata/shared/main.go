// Command shared calls a context from two goroutines. It is a mistake that the race
// detector reports, whatever the context's memory.
package main

import (
	"sync"

	"github.com/cookmem-go/cookmem/memctx"
)

func main() {
	mc, err := memctx.New(nil)
	if err != nil {
		panic(err)
	}
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			if _, err := mc.Alloc(100); err != nil {
				panic(err)
			}
		})
	}
	workers.Wait()
}
