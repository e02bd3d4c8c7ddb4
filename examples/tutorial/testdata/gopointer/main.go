// Command gopointer keeps a Go value in a block. The collector does not see it
// there; a runtime that was built with GOEXPERIMENT=cgocheck2 does.
package main

import (
	"log"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
)

// session is a Go value.
type session struct{ user string }

func main() {
	mc, err := memctx.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := mc.AllocZeroed(1, int(unsafe.Sizeof(uintptr(0))))
	if err != nil {
		log.Fatal(err)
	}
	*(**session)(p) = &session{"ann"}
}
