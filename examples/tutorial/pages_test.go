//go:build unix || windows

package tutorial

import (
	"fmt"
	"log"
	"runtime/debug"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// read reads the first byte of b, and returns a memory fault as an error. Without
// SetPanicOnFault it would end the process.
//
//go:noinline
func read(b []byte) (first byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return b[0], nil
}

func Example_rootAfterClose() {
	var root []byte
	o := memctx.Options{Checked: true, Provider: segment.OS()}
	err := memctx.Scope(&o, func(mc *memctx.Context) (err error) {
		root, err = mc.CloneBytes([]byte("returned from the scope"))
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = read(root)
	fmt.Println(err)
	// Output:
	// runtime error: invalid memory address or nil pointer dereference
}
