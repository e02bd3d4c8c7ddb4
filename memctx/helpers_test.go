package memctx_test

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// newContext returns a context that is checked and closed when the test ends.
func newContext(t testing.TB, o *memctx.Options) *memctx.Context {
	t.Helper()
	mc, err := memctx.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := mc.Check(); err != nil && !errors.Is(err, memctx.ErrClosed) {
			t.Errorf("at the end: %v", err)
		}
		if err := mc.Close(); err != nil {
			t.Error(err)
		}
		if mc.Footprint() != 0 {
			t.Errorf("after Close the footprint is %d", mc.Footprint())
		}
	})
	return mc
}

// newCounted returns a context over a counter over the Go heap. When the test
// ends everything must have been given back to it.
func newCounted(t testing.TB, o memctx.Options) (*memctx.Context, *segment.Counter) {
	t.Helper()
	if o.Provider == nil {
		o.Provider = segment.Heap()
	}
	counter := segment.Counting(o.Provider)
	t.Cleanup(func() {
		if counter.Bytes() != 0 {
			t.Errorf("%d bytes were not given back", counter.Bytes())
		}
	})
	o.Provider = counter
	return newContext(t, &o), counter
}

// newRoomy returns a context whose top is one segment of 32 MiB: blocks that are
// allocated one after the other are neighbours, whatever their sizes.
func newRoomy(t testing.TB, o memctx.Options) *memctx.Context {
	t.Helper()
	o.Retain = 64 << 20
	mc, _ := newCounted(t, o)
	mustAlloc(t, mc, 32<<20)
	if err := mc.Reset(); err != nil {
		t.Fatal(err)
	}
	return mc
}

func mustCheck(t testing.TB, mc *memctx.Context) {
	t.Helper()
	if err := mc.Check(); err != nil {
		t.Fatal(err)
	}
}

func mustAlloc(t testing.TB, mc *memctx.Context, n int) unsafe.Pointer {
	t.Helper()
	p, err := mc.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustAligned(t testing.TB, mc *memctx.Context, n, align int) unsafe.Pointer {
	t.Helper()
	p, err := mc.AllocAligned(n, align)
	if err != nil {
		t.Fatal(err)
	}
	if uintptr(p)%uintptr(align) != 0 {
		t.Fatalf("AllocAligned(%d, %d) = %p", n, align, p)
	}
	return p
}

func mustRealloc(t testing.TB, mc *memctx.Context, p unsafe.Pointer, n int) unsafe.Pointer {
	t.Helper()
	p, err := mc.Realloc(p, n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bytesAt returns the n bytes at p.
func bytesAt(p unsafe.Pointer, n int) []byte { return memctx.AddrOf(p).Bytes(n) }

// fill sets the n bytes at p to b.
func fill(p unsafe.Pointer, n int, b byte) {
	s := bytesAt(p, n)
	if n == 0 {
		return
	}
	s[0] = b
	for done := 1; done < n; done *= 2 { // a loop over bytes takes ages under -race
		copy(s[done:], s[:done])
	}
}

// all reports whether the n bytes at p are b.
func all(p unsafe.Pointer, n int, b byte) bool {
	s := bytesAt(p, n)
	return n == 0 || s[0] == b && bytes.Equal(s[1:], s[:n-1])
}

// faultOf calls f and returns the fault that it panics with, or nil if it does
// not.
func faultOf(f func()) (fault *diag.Fault) {
	defer func() {
		if r := recover(); r != nil {
			fault = r.(*diag.Fault)
		}
	}()
	f()
	return nil
}

// mustFault requires that f panics with a fault of the given kind, and that the
// heap is sound after it.
func mustFault(t testing.TB, mc *memctx.Context, kind diag.Kind, op string, f func()) *diag.Fault {
	t.Helper()
	fault := faultOf(f)
	if fault == nil {
		t.Fatalf("no fault, want %v", kind)
	}
	if !errors.Is(fault, kind) || fault.Op != op || fault.Context != mc.Name() {
		t.Fatalf("fault is %v, want %v by %s", fault, kind, op)
	}
	return fault
}

// mustFail requires that err wraps want and comes from the call op.
func mustFail(t testing.TB, err, want error, op string) {
	t.Helper()
	var e *memctx.Error
	if !errors.Is(err, want) || !errors.As(err, &e) || e.Op != op {
		t.Fatalf("error is %v, want %v by %s", err, want, op)
	}
}
