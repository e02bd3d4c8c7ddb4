package diag_test

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// free stands in for a heap's Free that is called twice.
func free() {
	panic(&diag.Fault{Kind: diag.DoubleFree, Op: "Free", Context: "tenant 7", Hint: "freed before"})
}

// A service that does not want to die of a tenant's mistake recovers the fault
// and returns it as the error that it is.
func ExampleFault() {
	serve := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				fault, ok := r.(*diag.Fault)
				if !ok {
					panic(r)
				}
				err = fmt.Errorf("request refused: %w", fault)
			}
		}()
		free()
		return nil
	}
	err := serve()
	fmt.Println(err)
	fmt.Println(errors.Is(err, diag.DoubleFree), errors.Is(err, diag.Foreign))
	// Output:
	// request refused: memctx: Free: double free in context "tenant 7" (freed before)
	// true false
}

func ExampleKind() {
	for _, k := range []diag.Kind{diag.Misaligned, diag.GuardAfter} {
		fmt.Println(k)
	}
	// Output:
	// misaligned pointer
	// write past the block's end
}

func ExampleStats() {
	s := diag.Stats{Footprint: 1 << 20, InUse: 700 << 10, Cached: 100 << 10, Free: 200 << 10, Blocks: 3500}
	fmt.Printf("%d blocks of %d bytes on average\n", s.Blocks, s.InUse/int(s.Blocks))
	fmt.Printf("%d%% of the footprint is with users\n", 100*s.InUse/s.Footprint)
	// Output:
	// 3500 blocks of 204 bytes on average
	// 68% of the footprint is with users
}

func ExampleBlock() {
	leaks := []diag.Block{
		{Addr: 0x1000, Size: 100, Align: 16, Exact: true},
		{Addr: 0x2000, Size: 1008, Align: 16},
	}
	for _, b := range leaks {
		if b.Exact {
			fmt.Printf("%#x: %d bytes\n", b.Addr, b.Size)
		} else {
			fmt.Printf("%#x: at most %d bytes\n", b.Addr, b.Size)
		}
	}
	// Output:
	// 0x1000: 100 bytes
	// 0x2000: at most 1008 bytes
}

func ExamplePattern() {
	memory := make([]byte, 32)
	defer runtime.KeepAlive(memory)
	block, guard := memory[:16], raw.SliceAddr(memory[16:])
	pattern := diag.PatternOf(1)
	pattern.Set(guard, 16)
	copy(memory, "a text that is too long")
	at, broken := pattern.Check(guard, 16)
	fmt.Printf("%q overflows: %t, first at byte %d\n", block, broken, len(block)+at)
	// Output:
	// "a text that is t" overflows: true, first at byte 16
}
