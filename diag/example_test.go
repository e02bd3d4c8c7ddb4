package diag_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"

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

// tally is an observer that counts what it is told of.
type tally map[diag.EventKind]int

func (t tally) Observe(e diag.Event) { t[e.Kind]++ }

// A heap tells its observer of each call.
func ExampleObserver() {
	t := tally{}
	var observer diag.Observer = t // Options.Observer, in earnest
	for range 3 {
		observer.Observe(diag.Event{Kind: diag.EventAlloc, Op: "Alloc", Addr: 0x1000, N: 100, Align: 16, Size: 112})
	}
	observer.Observe(diag.Event{Kind: diag.EventReset, Op: "Reset"})
	fmt.Println(t[diag.EventAlloc], "blocks,", t[diag.EventReset], "reset")
	// Output: 3 blocks, 1 reset
}

func ExampleEvent() {
	events := []diag.Event{
		{Kind: diag.EventAlloc, Op: "Bytes", N: 100, Align: 16, Size: 112},
		{Kind: diag.EventAlloc, Op: "Alloc", N: 17, Align: 16, Size: 32},
	}
	asked, costs := 0, 0
	for _, e := range events {
		asked, costs = asked+e.N, costs+e.Size
	}
	fmt.Printf("%d bytes asked for cost %d\n", asked, costs)
	// Output: 117 bytes asked for cost 144
}

func ExampleEventKind() {
	fmt.Println(diag.EventAcquire, diag.EventRealloc, diag.EventLost)
	// Output: acquire realloc lost
}

func ExampleSlog() {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime}))
	observer := diag.Slog(logger)
	observer.Observe(diag.Event{Kind: diag.EventAcquire, Context: "tenant 7", Addr: 0x10000, Size: 65536})
	observer.Observe(diag.Event{Kind: diag.EventAlloc, Context: "tenant 7", N: 100}) // at Debug, which the logger leaves out
	// Output: level=INFO msg="memctx acquire" context="tenant 7" addr=65536 size=65536
}

func ExampleLeak() {
	leak := &diag.Leak{Blocks: 3, Bytes: 300, First: diag.Block{Addr: 0x1000, Size: 100}}
	fmt.Println(leak)
	// Output: memctx: 3 blocks of 300 bytes not freed, the first of 100
}

// alloc stands in for a heap's Alloc that records who called it.
func alloc(stacks *diag.Stacks) *diag.Stack { return stacks.Here(0) }

// parse is a function of the program's.
func parse(stacks *diag.Stacks) *diag.Stack { return alloc(stacks) }

func ExampleStack() {
	var stacks diag.Stacks
	site := parse(&stacks).Site()
	function, _, _ := strings.Cut(site[strings.LastIndex(site, "/diag_test."):], " ")
	fmt.Println("allocated in", function)
	var nobody *diag.Stack
	fmt.Printf("not recorded: %q\n", nobody.Site())
	// Output:
	// allocated in /diag_test.parse
	// not recorded: ""
}

func ExampleStacks() {
	var stacks diag.Stacks
	seen := map[*diag.Stack]int{}
	for range 1000 {
		seen[parse(&stacks)]++ // each stack is kept once
	}
	fmt.Println(len(seen), "stack for 1000 blocks")
	// Output: 1 stack for 1000 blocks
}
