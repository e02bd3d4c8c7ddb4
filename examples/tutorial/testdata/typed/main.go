// Command typed links blocks by Go pointers. The collector reads the old value of a
// link while it marks, takes it for a pointer of its own, and ends the process.
package main

import (
	"log"
	"runtime"
	"time"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
)

// node is an element of a list. Its link must be a memctx.Addr.
type node struct {
	value int
	next  *node
}

// remains returns the bytes of an address where a Go value was.
func remains() uintptr {
	large := make([]byte, 1<<20)
	return uintptr(unsafe.Pointer(&large[0]))
}

func main() {
	mc, err := memctx.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	address := remains()
	runtime.GC()
	runtime.GC() // there is nothing now
	go func() {
		for {
			runtime.GC()
		}
	}()
	var head *node
	for start := time.Now(); time.Since(start) < time.Minute; {
		p, err := mc.Alloc(int(unsafe.Sizeof(node{})))
		if err != nil {
			log.Fatal(err)
		}
		user := (*[2]uintptr)(p)
		user[1] = address // a number, a hash, text: bytes may be any
		mc.Free(p)

		p, err = mc.Alloc(int(unsafe.Sizeof(node{})))
		if err != nil {
			log.Fatal(err)
		}
		n := (*node)(p)
		n.next = head // reads the old bytes
		head = n
		mc.Free(p)
	}
}
