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

// remains returns the bytes of addresses where Go values were.
func remains() (addresses [16]uintptr) {
	for i := range addresses {
		large := make([]byte, 1<<20)
		addresses[i] = uintptr(unsafe.Pointer(&large[0]))
	}
	return addresses
}

func main() {
	mc, err := memctx.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	addresses := remains()
	runtime.GC()
	runtime.GC() // there is nothing now
	go func() {
		for {
			runtime.GC()
		}
	}()
	var head *node
	start := time.Now()
	for i := 0; time.Since(start) < time.Minute; i++ {
		p, err := mc.Alloc(int(unsafe.Sizeof(node{})))
		if err != nil {
			log.Fatal(err)
		}
		user := (*[2]uintptr)(p)
		user[1] = addresses[i%len(addresses)] // a number, a hash, text: bytes may be any
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
