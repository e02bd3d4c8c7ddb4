package tutorial

import (
	"fmt"
	"log"
	"runtime"
	"sync"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
)

// newContext returns a context that looks for misuse as far as it can.
func newContext(name string) *memctx.Context {
	mc, err := memctx.New(&memctx.Options{Name: name, Checked: true})
	if err != nil {
		log.Fatal(err)
	}
	return mc
}

// text returns a copy of s in the context.
func text(mc *memctx.Context, s string) []byte {
	b, err := mc.CloneBytes([]byte(s))
	if err != nil {
		log.Fatal(err)
	}
	return b
}

func Example_callAfterClose() {
	mc := newContext("request")
	b := text(mc, "too late")
	if err := mc.Close(); err != nil {
		log.Fatal(err)
	}
	_, err := mc.Alloc(10)
	fmt.Println(err)
	fmt.Println(faultOf(func() { mc.FreeBytes(b) }).Kind)
	// Output:
	// memctx: Alloc of 10 bytes in context "request": context is closed
	// use after Close
}

func Example_append() {
	mc := newContext("request")
	defer mc.Close()
	b := text(mc, "full")
	b = append(b, " and moved"...) // now a slice of the Go heap; the block stays
	f := faultOf(func() { mc.FreeBytes(b) })
	fmt.Println(f.Kind, "-", f.Hint)
	fmt.Println("blocks left:", mc.Stats().Blocks)
	// Output:
	// foreign pointer - the slice is not in this context: was it grown by append?
	// blocks left: 1
}

// grow is what to use in place of append: it returns b with s behind it, and b
// must not be used any more.
func grow(mc *memctx.Context, b []byte, s string) ([]byte, error) {
	n := len(b)
	p, err := mc.Realloc(unsafe.Pointer(unsafe.SliceData(b)), n+len(s))
	if err != nil {
		return b, err
	}
	b = memctx.AddrOf(p).Bytes(n + len(s))
	copy(b[n:], s)
	return b, nil
}

func Example_grow() {
	mc := newContext("request")
	defer mc.Close()
	b, err := grow(mc, text(mc, "full"), " and grown")
	fmt.Printf("%s, %v\n", b, err)
	mc.FreeBytes(b)
	fmt.Println("blocks left:", mc.Stats().Blocks)
	// Output:
	// full and grown, <nil>
	// blocks left: 0
}

func Example_stringOfAFreedBlock() {
	mc := newContext("request")
	defer mc.Close()
	b := text(mc, "key")
	alias := unsafe.String(&b[0], len(b)) // no copy; string(b) would be one
	part := b[1:]
	mc.FreeBytes(b)
	fmt.Printf("%x %x\n", alias, part)
	// Output:
	// dddddd dddd
}

func Example_pointerBeforeRealloc() {
	mc := newContext("request")
	defer mc.Close()
	old, err := mc.Alloc(100)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := mc.Alloc(1); err != nil { // so that the first cannot grow in place
		log.Fatal(err)
	}
	if _, err := mc.Realloc(old, 10_000); err != nil {
		log.Fatal(err)
	}
	fmt.Println(faultOf(func() { mc.Free(old) }).Kind)
	// Output:
	// double free
}

func Example_addrOverReset() {
	mc := newContext("index")
	defer mc.Close()
	index := map[string]memctx.Addr{"a": memctx.AddrOf(unsafe.Pointer(&text(mc, "value of a")[0]))}
	if err := mc.Reset(); err != nil {
		log.Fatal(err)
	}
	f := faultOf(func() { mc.Free(index["a"].Pointer()) })
	fmt.Println(f.Kind, "-", f.Hint)

	other := text(mc, "value of b")
	fmt.Println("the same address:", index["a"] == memctx.AddrOf(unsafe.Pointer(&other[0])))
	// Output:
	// double free - the block was freed before, or dropped by Reset, and has not been handed out again
	// the same address: true
}

func Example_refusedType() {
	type node struct {
		Value int
		Next  *node
	}
	mc := newContext("index")
	defer mc.Close()
	_, err := offheap.New[node](mc)
	fmt.Println(err)

	type linked struct {
		Value int
		Next  offheap.Ref[linked]
	}
	n, err := offheap.New[linked](mc)
	fmt.Println(n.Next.Get(), err)
	// Output:
	// offheap: type tutorial.node holds a Go pointer in field Next (*tutorial.node)
	// <nil> <nil>
}

// session is a Go value.
type session struct{ user, token string }

func Example_goPointerInABlock() {
	mc := newContext("index")
	defer mc.Close()
	p, err := mc.AllocZeroed(1, int(unsafe.Sizeof(uintptr(0))))
	if err != nil {
		log.Fatal(err)
	}
	collected := make(chan string)
	func() {
		s := &session{user: "ann", token: "secret"}
		runtime.AddCleanup(s, func(user string) { collected <- user }, s.user)
		*(**session)(p) = s // the only reference, and the collector does not see it
	}()
	runtime.GC()
	fmt.Println("collected:", <-collected)
	// Output:
	// collected: ann
}

// list is a Go value that owns a block.
type list struct {
	mc   *memctx.Context
	head unsafe.Pointer
}

func Example_finalizer() {
	faults := make(chan *diag.Fault)
	mc := newContext("request")
	func() {
		p, err := mc.Alloc(100)
		if err != nil {
			log.Fatal(err)
		}
		l := &list{mc, p}
		runtime.SetFinalizer(l, func(l *list) { // in a goroutine of the runtime, at some time
			faults <- faultOf(func() { l.mc.Free(l.head) })
		})
	}()
	if err := mc.Close(); err != nil {
		log.Fatal(err)
	}
	runtime.GC()
	fmt.Println((<-faults).Kind)
	// Output:
	// use after Close
}

func Example_twoCallsAtOnce() {
	mc := newContext("shared")
	defer mc.Close()
	for range 3 {
		text(mc, "block")
	}
	f := faultOf(func() {
		for range mc.Blocks() { // a call that lasts as long as the loop
			text(mc, "another goroutine's, or one's own")
		}
	})
	fmt.Println(f.Kind, "-", f.Hint)
	// Output:
	// concurrent use - another goroutine, or a caller further up, is inside a call of this context
}

// lost is an observer that is told of contexts that were never closed.
type lost chan diag.Event

// Observe implements [diag.Observer].
func (l lost) Observe(e diag.Event) {
	if e.Kind == diag.EventLost {
		l <- e
	}
}

func Example_syncPool() {
	events := make(lost, 1)
	func() {
		contexts := sync.Pool{New: func() any {
			mc, err := memctx.New(&memctx.Options{Name: "pooled", Checked: true, Observer: events})
			if err != nil {
				log.Fatal(err)
			}
			return mc
		}}
		mc := contexts.Get().(*memctx.Context)
		text(mc, "some memory")
		contexts.Put(mc)
	}()
	for range 3 { // a sync.Pool keeps things for a collection or two
		runtime.GC()
	}
	e := <-events
	fmt.Println(e.Kind, e.Context, e.Err.(*diag.Fault).Kind, e.Size > 0)
	// Output:
	// lost pooled context not closed true
}
