package offheap_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
)

func TestRef(t *testing.T) {
	mc := newContext(t, memctx.Options{})
	if offheap.RefOf[int](nil) != 0 || offheap.Ref[int](0).Get() != nil {
		t.Error("nil is not the zero Ref")
	}
	p := mustNew[entryOf64](t, mc)
	r := offheap.RefOf(p)
	if r.Get() != p || memctx.Addr(r) != memctx.AddrOf(unsafe.Pointer(p)) || offheap.Ref[entryOf64](memctx.Addr(r)) != r {
		t.Errorf("%p becomes %#x and %p", p, r, r.Get())
	}
	s := mustMake[entryOf64](t, mc, 10, 10)
	r = offheap.RefOf(&s[7])
	r.Get().Key = 42
	if s[7].Key != 42 || offheap.RefOf(&s[7].Flag).Get() != &s[7].Flag {
		t.Error("elements or fields differ")
	}
}

// TestRefCopyOfConstants is about the compiler: that of Go 1.26 panics when it makes
// moves of a copy whose length it knows, and the target is a number to it.
func TestRefCopyOfConstants(t *testing.T) {
	const text = "a constant of more than sixteen bytes"
	mc := newContext(t, memctx.Options{})
	p := mustNew[[100]byte](t, mc)
	whole, first := offheap.RefOf(p), offheap.RefOf(&p[0])
	for i, write := range []func(){
		func() { copy(whole.Get()[:], text) },
		func() { copy(unsafe.Slice(first.Get(), 100), text) },
		func() { copy(unsafe.Slice((*byte)(unsafe.Pointer(whole.Get())), 100), text) },
		func() { r := offheap.RefOf(p); copy(r.Get()[:], text) },
		func() { r := offheap.RefOf(&p[0]); copy(unsafe.Slice(r.Get(), 100), text) },
	} {
		clear(p[:])
		if write(); !strings.HasPrefix(string(p[:]), text) {
			t.Errorf("way %d: %q was written", i, p[:])
		}
	}
}

// branch is a node of a search tree with a link back, so that there are cycles.
type branch struct {
	key         uint32
	left, right offheap.Ref[branch]
	parent      offheap.Ref[branch]
}

// TestTreeWhileCollecting links and unlinks nodes in memory that is used again and
// again, while the collector runs: no link of theirs may mean anything to it.
func TestTreeWhileCollecting(t *testing.T) {
	mc := newContext(t, memctx.Options{Name: "tree"})
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for range 20 {
		var root offheap.Ref[branch]
		for key := range uint32(2000) {
			insert(t, mc, &root, key*2654435761)
		}
		if n := drop(mc, root); n != 2000 {
			t.Errorf("%d nodes", n)
		}
	}
	close(stop)
	<-stopped
	if mc.Stats().Blocks != 0 {
		t.Errorf("%d blocks are left", mc.Stats().Blocks)
	}
}

func insert(t *testing.T, h offheap.Heap, root *offheap.Ref[branch], key uint32) {
	t.Helper()
	var parent offheap.Ref[branch]
	at := root
	for *at != 0 {
		parent = *at
		if key < at.Get().key {
			at = &at.Get().left
		} else {
			at = &at.Get().right
		}
	}
	n := mustNew[branch](t, h)
	*n = branch{key: key, parent: parent}
	*at = offheap.RefOf(n)
}

// drop frees a tree and returns how many nodes it had.
func drop(h offheap.Heap, r offheap.Ref[branch]) int {
	n := r.Get()
	if n == nil {
		return 0
	}
	count := 1 + drop(h, n.left) + drop(h, n.right)
	offheap.Free(h, n)
	return count
}
