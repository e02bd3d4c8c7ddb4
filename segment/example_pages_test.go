//go:build unix || windows

package segment_test

import (
	"fmt"
	"log"
	"runtime/debug"

	"github.com/cookmem-go/cookmem/segment"
)

// touch writes to the start of a segment, and returns a memory fault as an error.
//
//go:noinline
func touch(s segment.Segment) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	*(*byte)(s.Base) = 1
	return nil
}

// acquire takes a segment, all of which is usable.
func acquire(p segment.Provider) segment.Segment {
	s, err := p.Acquire(1<<20, 1<<20)
	if err == nil {
		err = segment.Commit(p, s, 0, s.Size)
	}
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// Pages that are discarded cost no memory, and the addresses stay usable.
func ExampleDiscarder() {
	p := segment.OS()
	s := acquire(p)
	fmt.Println(touch(s), segment.Discard(p, s, 0, s.Size))
	fmt.Println(touch(s), p.Release(s))
	// Output:
	// <nil> <nil>
	// <nil> <nil>
}

func ExampleProtector() {
	p := segment.OS()
	s := acquire(p)
	fmt.Println(segment.Protect(p, s, 0, s.Size, true), touch(s) != nil)
	fmt.Println(segment.Protect(p, s, 0, s.Size, false), touch(s) != nil)
	fmt.Println(p.Release(s))
	// Output:
	// <nil> true
	// <nil> false
	// <nil>
}

// A segment in quarantine has been given back, and whoever still has an address in
// it meets a memory fault.
func ExampleQuarantiner() {
	p := segment.Counting(segment.OS())
	s := acquire(p)
	fmt.Println(segment.Quarantine(p, s), p.Bytes())
	fmt.Println("a fault:", touch(s) != nil)
	fmt.Println(segment.Drain(p)) // ends it
	// Output:
	// <nil> 0
	// a fault: true
	// <nil>
}
