package tutorial

import (
	"errors"
	"fmt"
	"log"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

func Example_fixedBuffer() {
	buffer := make([]byte, 64<<10)
	mc, err := memctx.New(&memctx.Options{Provider: segment.Fixed(buffer)})
	if err != nil {
		log.Fatal(err)
	}
	defer mc.Close()

	text, err := mc.CloneBytes([]byte("in the buffer"))
	if err != nil {
		log.Fatal(err)
	}
	offset := memctx.AddrOf(unsafe.Pointer(&text[0])) - memctx.AddrOf(unsafe.Pointer(&buffer[0]))
	fmt.Println("inside:", offset < memctx.Addr(len(buffer)))

	_, err = mc.Alloc(100_000)
	fmt.Println("no more than that:", errors.Is(err, memctx.ErrNoMemory))
	// Output:
	// inside: true
	// no more than that: true
}

func Example_bufferFirst() {
	system := segment.Counting(segment.OS())
	first := segment.Chain(segment.Fixed(make([]byte, 64<<10)), system)
	err := memctx.Scope(&memctx.Options{Provider: first}, func(mc *memctx.Context) error {
		_, small := mc.Alloc(10_000)
		fmt.Println("calls to the system:", system.Calls())
		_, large := mc.Alloc(100_000)
		fmt.Println("more than the buffer has:", system.Calls() > 0)
		return errors.Join(small, large)
	})
	fmt.Println(err, system.Bytes())
	// Output:
	// calls to the system: 0
	// more than the buffer has: true
	// <nil> 0
}

func Example_pages() {
	system := segment.Counting(segment.OS())
	mc, err := memctx.New(&memctx.Options{Provider: system})
	if err != nil {
		log.Fatal(err)
	}
	p, err := mc.Alloc(100)
	if err != nil {
		log.Fatal(err)
	}
	copy(memctx.AddrOf(p).Bytes(100), "grown in place or moved, but kept")
	if p, err = mc.Realloc(p, 10_000); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", memctx.AddrOf(p).Bytes(33))
	mc.Free(p) // or leave that to Close
	fmt.Println("held:", system.Bytes() > 0, system.Bytes() == mc.Footprint())
	fmt.Println("closed:", mc.Close(), system.Bytes())
	// Output:
	// grown in place or moved, but kept
	// held: true true
	// closed: <nil> 0
}

func Example_sharedCache() {
	system := segment.Counting(segment.OS())
	cache := segment.NewCache(system, 16<<20) // keeps up to 16 MiB idle
	for range 1000 {
		err := memctx.Scope(&memctx.Options{Provider: cache}, func(mc *memctx.Context) error {
			_, err := mc.Alloc(1000)
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("1000 contexts, mappings made:", system.Acquires())
	fmt.Println(cache.Drain(), system.Bytes())
	// Output:
	// 1000 contexts, mappings made: 1
	// <nil> 0
}

func Example_copyingOut() {
	result, err := memctx.New(&memctx.Options{Name: "result"})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()

	var kept [][]byte
	err = memctx.Scope(&memctx.Options{Name: "work"}, func(work *memctx.Context) error {
		keep := func(b []byte) error { // what lives elsewhere needs no copy
			if work.Contains(unsafe.Pointer(unsafe.SliceData(b))) {
				if b, err = result.CloneBytes(b); err != nil {
					return err
				}
			}
			kept = append(kept, b)
			return nil
		}
		found, err := work.CloneBytes([]byte("found"))
		if err != nil {
			return err
		}
		return errors.Join(keep(found), keep([]byte("a constant")))
	})
	fmt.Printf("%s, %v, %d block copied\n", kept, err, result.Stats().Blocks)
	// Output:
	// [found a constant], <nil>, 1 block copied
}

func Example_movingOut() {
	session, err := memctx.New(&memctx.Options{Name: "session"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	var answer []byte
	err = memctx.Scope(&memctx.Options{Name: "request"}, func(request *memctx.Context) error {
		outlives, err := request.NewChild(&memctx.Options{Name: "answer"})
		if err != nil {
			return err
		}
		if answer, err = outlives.CloneBytes([]byte("not copied")); err != nil {
			return err
		}
		return session.Adopt(outlives) // or it would be closed with the request
	})
	fmt.Printf("%s, %v\n", answer, err)
	// Output:
	// not copied, <nil>
}

func Example_sizeAndValidity() {
	mc, err := memctx.New(&memctx.Options{ExactSize: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mc.Close()
	p, err := mc.Alloc(100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("size:", mc.UsableSize(p)) // without ExactSize at least 100

	var outside int
	fmt.Println("start:", mc.Contains(p), "inside:", mc.Contains(unsafe.Add(p, 50)))
	fmt.Println("a Go variable:", mc.Contains(unsafe.Pointer(&outside)))

	for b := range mc.Blocks() {
		fmt.Println("block of", b.Size, "bytes, the same:", b.Addr == uintptr(p))
	}
	fmt.Println("the heap is sound:", mc.Check() == nil)
	// Output:
	// size: 100
	// start: true inside: true
	// a Go variable: false
	// block of 100 bytes, the same: true
	// the heap is sound: true
}

// faultOf calls f and returns the fault that it panics with, nil if none.
func faultOf(f func()) (fault *diag.Fault) {
	defer func() {
		if r := recover(); r != nil {
			fault = r.(*diag.Fault)
		}
	}()
	f()
	return nil
}

func Example_overrun() {
	mc, err := memctx.New(&memctx.Options{Name: "guarded", Guard: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mc.Close()
	name, err := mc.Bytes(8)
	if err != nil {
		log.Fatal(err)
	}
	past := unsafe.Slice(&name[0], 9) // what a C programmer would do
	right := past[8]
	past[8] = 0

	f := faultOf(func() { mc.FreeBytes(name) })
	fmt.Println(f.Kind)
	fmt.Println(f.Op, "in", f.Context, "of", f.Block.Size, "bytes: byte", f.Offset, "is", f.Got[0])

	past[8] = right // nothing was freed, and the context is as it was
	mc.FreeBytes(name)
	fmt.Println("then sound:", mc.Check() == nil)
	// Output:
	// write past the block's end
	// FreeBytes in guarded of 8 bytes: byte 8 is 0
	// then sound: true
}

func Example_writeAfterFree() {
	mc, err := memctx.New(&memctx.Options{Name: "checked", Checked: true})
	if err != nil {
		log.Fatal(err)
	}
	b, err := mc.Bytes(8)
	if err != nil {
		log.Fatal(err)
	}
	mc.FreeBytes(b)
	b[2] = 'X'

	f := faultOf(func() { mc.Close() }) // Trim, Reset, Check and many Frees look too
	fmt.Printf("%v: byte %d is %x, want %x\n", f.Kind, f.Offset, f.Got[0], f.Want[0])
	fmt.Println("all is given back:", mc.Close(), mc.Footprint())
	// Output:
	// write after Free: byte 2 is 58, want dd
	// all is given back: <nil> 0
}
