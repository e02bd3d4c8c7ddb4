package offheap_test

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
	"github.com/cookmem-go/cookmem/segment"
)

// TestCase21_TypedZeroAfterReset fills values and slices with ones, drops them, and
// requires that new ones in that memory are zero.
func TestCase21_TypedZeroAfterReset(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		for range 3 {
			zeroAfter[int8](t, h)
			zeroAfter[entryOf64](t, h)
			zeroAfter[[4095]byte](t, h)
			zeroAfter[[4096]byte](t, h)
			zeroAfter[[5000]uint32](t, h)
			zeroAfter[[1 << 15]uint64](t, h)
			if err := h.Reset(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// zeroAfter requires that values and slices of T are zero, and leaves ones in
// memory that is live and in memory that is free.
func zeroAfter[T any](t *testing.T, h heap) {
	t.Helper()
	for range 3 {
		p := mustNew[T](t, h)
		if b := bytesOf(unsafe.Slice(p, 1)); !isZero(b) {
			t.Fatalf("New of %d bytes is not zero", len(b))
		}
		ones(bytesOf(unsafe.Slice(p, 1)))
		s := mustMake[T](t, h, 1, 3)
		if !isZero(bytesOf(s)) {
			t.Fatalf("a slice of %T is not zero", *p)
		}
		ones(bytesOf(s))
		grown, err := offheap.Grow(h, s[:3], 1) // Append would copy what is between fields
		if err != nil {
			t.Fatal(err)
		}
		if b := bytesOf(grown); !isZero(b[3*unsafe.Sizeof(*p):]) || bytes.Count(b, []byte{0xff}) != 3*int(unsafe.Sizeof(*p)) {
			t.Fatalf("a grown slice of %T is not zero behind its elements", *p)
		}
		ones(bytesOf(grown))
		offheap.Free(h, p)
		kept := mustMake[T](t, h, 0, 2)
		ones(bytesOf(kept))
	}
}

// entryOf64 wants 8-byte alignment on every system, since an atomic is in it.
type entryOf64 struct {
	Small int32
	Hits  atomic.Int64
	Key   int64
	Flag  bool
}

// TestCase23_TypedElements requires that every element is aligned as its type wants,
// wherever it came from, and that 64-bit atomics work in each.
func TestCase23_TypedElements(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		aligned[int64](t, h, 8)
		aligned[float64](t, h, 8)
		aligned[[3]uint64](t, h, 8)
		aligned[atomic.Uint64](t, h, 8)
		aligned[entryOf64](t, h, 8)
		aligned[[2]entryOf64](t, h, 8)
		aligned[complex128](t, h, 8)
		aligned[int32](t, h, 4)
		aligned[struct {
			A byte
			B int64
		}](t, h, unsafe.Alignof(int64(0)))

		var entries []entryOf64
		for i := range 300 {
			entries = mustAppend(t, h, entries, entryOf64{Key: int64(i)})
			for j := range entries { // a misaligned one panics on 32-bit systems
				entries[j].Hits.Add(1)
				atomic.AddInt64(&entries[j].Key, 1)
			}
		}
		if hits := entries[0].Hits.Load(); hits != 300 || entries[299].Key != 300 || entries[299].Hits.Load() != 1 {
			t.Errorf("%d hits of the first, %d and %d of the last", hits, entries[299].Hits.Load(), entries[299].Key)
		}
	})
}

// aligned requires the alignment of values and elements of T.
func aligned[T any](t *testing.T, h heap, align uintptr) {
	t.Helper()
	check := func(p *T) {
		if uintptr(unsafe.Pointer(p))%align != 0 {
			t.Fatalf("%p is not aligned to %d", p, align)
		}
	}
	s := mustMake[T](t, h, 7, 7)
	for range 60 {
		check(mustNew[T](t, h))
		s = mustAppend(t, h, s, *new(T))
		for i := range s {
			check(&s[i])
		}
	}
}

// TestNothing makes values and slices of no bytes: each has a block.
func TestNothing(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		a, b := mustNew[struct{}](t, h), mustNew[struct{}](t, h)
		if a == nil || uintptr(unsafe.Pointer(a)) == uintptr(unsafe.Pointer(b)) || h.Stats().Blocks != 2 {
			t.Errorf("%p, %p, %d blocks", a, b, h.Stats().Blocks)
		}
		s := mustAppend(t, h, mustMake[struct{}](t, h, 3, 5), struct{}{})
		many := mustAppend(t, h, s, make([]struct{}, 100)...)
		from := mustAppend(t, h, nil, struct{}{}, struct{}{})
		if len(s) != 4 || len(many) != 104 || !isIn(h, many) || len(from) != 2 || !isIn(h, from) {
			t.Errorf("lengths %d, %d and %d", len(s), len(many), len(from))
		}
		offheap.FreeSlice(h, many)
		offheap.FreeSlice(h, from)
		offheap.FreeSlice(h, mustMake[int](t, h, 0, 0))
		offheap.Free(h, a)
		offheap.Free(h, b)
		offheap.Free[int](h, nil)
		offheap.FreeSlice[int](h, nil)
		if h.Stats().Blocks != 0 {
			t.Errorf("%d blocks are left", h.Stats().Blocks)
		}
	})
}

// TestErrors requires that what the heap refuses is its error, and leaves no value.
func TestErrors(t *testing.T) {
	mc := newContext(t, memctx.Options{Name: "small", Limit: 64 << 10, Provider: segment.Heap()})
	made := 0
	for ; ; made++ {
		p, err := offheap.New[[1000]byte](mc)
		if err != nil {
			var e *memctx.Error
			if !errors.Is(err, memctx.ErrLimit) || !errors.As(err, &e) || e.Context != "small" || p != nil {
				t.Errorf("%p, %v", p, err)
			}
			break
		}
	}
	if made < 50 {
		t.Errorf("%d values were made", made)
	}
	if p, err := offheap.New[[1 << 20]byte](mc); !errors.Is(err, memctx.ErrLimit) || p != nil {
		t.Errorf("%p, %v", p, err)
	}
	if s, err := offheap.MakeSlice[int](mc, 0, 1<<20); !errors.Is(err, memctx.ErrLimit) || s != nil {
		t.Errorf("%v, %v", s, err)
	}
	p := mustNew[int8](t, mc)
	if err := mc.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := offheap.New[int](mc); !errors.Is(err, memctx.ErrClosed) {
		t.Errorf("New after Close: %v", err)
	}
	if _, err := offheap.Grow[int](mc, nil, 1); !errors.Is(err, memctx.ErrClosed) {
		t.Errorf("Grow after Close: %v", err)
	}
	defer func() {
		if f, ok := recover().(*diag.Fault); !ok || f.Kind != diag.AfterClose {
			t.Errorf("Free after Close: %v", f)
		}
	}()
	offheap.Free(mc, p)
}

// TestNoGarbage requires that nothing is put on the Go heap, on the way through an
// interface and on that through a type parameter.
func TestNoGarbage(t *testing.T) {
	mc := newContext(t, memctx.Options{})
	var h offheap.Heap = mc
	s := mustMake[int64](t, h, 1, 1)
	for name, f := range map[string]func(){
		"New and Free": func() {
			p, err := offheap.New[entryOf64](h)
			if err == nil {
				offheap.Free(h, p)
			}
		},
		"MakeSlice and FreeSlice": func() {
			s, err := offheap.MakeSlice[plain](mc, 10, 20)
			if err == nil {
				offheap.FreeSlice(mc, s)
			}
		},
		"Append": func() { s, _ = offheap.Append(h, s, 1, 2, 3) },
		"Ref":    func() { *offheap.RefOf(&s[0]).Get()++ },
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if len(s) < 3000 || !isIn(h, s) {
		t.Errorf("%d elements were appended", len(s))
	}
}
