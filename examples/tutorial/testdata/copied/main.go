// Command copied copies a context. It is a mistake that go vet reports.
package main

import (
	"log"

	"github.com/cookmem-go/cookmem/memctx"
)

// service has a context of its own, or so it seems.
type service struct{ mc memctx.Context }

func main() {
	mc, err := memctx.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	s := service{mc: *mc} // two heaps with the same chunks from here on
	_, _ = s.mc.Alloc(10)
	_, _ = mc.Alloc(10)
}
