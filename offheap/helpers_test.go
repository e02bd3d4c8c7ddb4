package offheap_test

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
	"github.com/cookmem-go/cookmem/segment"
)

// heap is a heap and what tests want to know of it.
type heap interface {
	offheap.Heap
	Name() string
	Stats() diag.Stats
	Footprint() int
	Check() error
	Reset() error
	Close() error
}

var (
	_ heap = (*memctx.Context)(nil)
	_ heap = (*memctx.Locked)(nil)
)

var modes = []struct {
	name    string
	options memctx.Options
}{
	{"plain", memctx.Options{}},
	{"exact", memctx.Options{ExactSize: true}},
	{"guard", memctx.Options{Guard: true}},
	{"checked", memctx.Options{Checked: true}},
}

// eachHeap runs f on a context and a locked one in every mode. Their memory is not
// zero when it is new.
func eachHeap(t *testing.T, f func(t *testing.T, h heap)) {
	for _, m := range modes {
		o := m.options
		o.Name = m.name
		o.Provider = segtest.Dirty(segment.Heap())
		t.Run(m.name, func(t *testing.T) { f(t, newContext(t, o)) })
		t.Run(m.name+"-locked", func(t *testing.T) {
			l, err := memctx.NewLocked(&o)
			if err != nil {
				t.Fatal(err)
			}
			atEnd(t, l)
			f(t, l)
		})
	}
}

// newContext returns a context that is checked and closed when the test ends.
func newContext(t testing.TB, o memctx.Options) *memctx.Context {
	t.Helper()
	mc, err := memctx.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	atEnd(t, mc)
	return mc
}

func atEnd(t testing.TB, h heap) {
	t.Cleanup(func() {
		if err := h.Check(); err != nil && !errors.Is(err, memctx.ErrClosed) {
			t.Errorf("at the end: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

func mustNew[T any](t testing.TB, h offheap.Heap) *T {
	t.Helper()
	p, err := offheap.New[T](h)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustMake[T any](t testing.TB, h offheap.Heap, length, capacity int) []T {
	t.Helper()
	s, err := offheap.MakeSlice[T](h, length, capacity)
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != length || cap(s) != capacity {
		t.Fatalf("MakeSlice(%d, %d) has length %d and capacity %d", length, capacity, len(s), cap(s))
	}
	return s
}

func mustAppend[T any](t testing.TB, h offheap.Heap, s []T, v ...T) []T {
	t.Helper()
	s, err := offheap.Append(h, s, v...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bytesOf returns the bytes of s up to its capacity.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), cap(s)*int(unsafe.Sizeof(*new(T))))
}

// ones sets all bits of b.
func ones(b []byte) { copy(b, bytes.Repeat([]byte{0xff}, len(b))) }

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// isIn reports whether the slice is in the heap.
func isIn[T any](h offheap.Heap, s []T) bool {
	return h.Contains(unsafe.Pointer(unsafe.SliceData(s)))
}

// mustFault requires that f panics with a fault of the kind, about the heap.
func mustFault(t testing.TB, h heap, kind diag.Kind, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if fault, ok := recover().(*diag.Fault); !ok || fault.Kind != kind || fault.Context != h.Name() {
			t.Errorf("fault is %v, want %v in %q", fault, kind, h.Name())
		}
		if err := h.Check(); err != nil {
			t.Error(err)
		}
	}()
	f()
}
