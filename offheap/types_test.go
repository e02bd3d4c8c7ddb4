package offheap_test

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
)

type (
	name struct {
		Length int
		Name   string
	}
	entry struct {
		Key  uint64
		Next name
	}
	wrapped struct {
		_ [0]func()
		name
	}
	table struct {
		Count int
		Rows  [3][2]entry
	}
	link  struct{ Next *link }
	plain struct {
		_           [0]func() // cannot be compared
		A           bool
		B           [3]uint16
		C           complex128
		Left, Right offheap.Ref[plain]
		Name        offheap.Ref[string]
		At          memctx.Addr
		Raw         uintptr
		Count       atomic.Int64
		Lock        sync.Mutex
		Nothing     struct{}
		None        [0]entry
		Wait        time.Duration
	}
)

// refusal is what is to be said of a type.
type refusal struct {
	path, holder, text string
}

// refused requires that every call that could bring a T into being refuses it, and
// takes nothing from the heap.
func refused[T any](t *testing.T, h heap, want refusal) {
	t.Helper()
	before := h.Stats().Blocks
	_, byNew := offheap.New[T](h)
	_, byMake := offheap.MakeSlice[T](h, 0, 0)
	_, byGrow := offheap.Grow[T](h, nil, 1)
	_, byAppend := offheap.Append(h, nil, *new(T))
	for _, err := range []error{byNew, byMake, byGrow, byAppend} {
		var e *offheap.TypeError
		if !errors.Is(err, offheap.ErrType) || !errors.As(err, &e) {
			t.Fatalf("%v: error is %v", reflect.TypeFor[T](), err)
		}
		if e.Type != reflect.TypeFor[T]() || e.Path != want.path || e.Holder.String() != want.holder || e.Error() != want.text {
			t.Errorf("%v: path %q, holder %v: %v", e.Type, e.Path, e.Holder, e)
		}
	}
	if h.Stats().Blocks != before {
		t.Error("a block was allocated")
	}
}

// allowed requires that a T can be made and freed.
func allowed[T any](t *testing.T, h heap) {
	t.Helper()
	offheap.Free(h, mustNew[T](t, h))
	offheap.FreeSlice(h, mustMake[T](t, h, 2, 3))
}

// TestCase20_TypesWithPointers asks for types that the collector has to know of,
// and for some that only look so.
func TestCase20_TypesWithPointers(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		for range 2 { // the second time the answer is a remembered one
			refused[string](t, h, refusal{"", "string", "offheap: type string holds a Go pointer"})
			refused[[]byte](t, h, refusal{"", "[]uint8", "offheap: type []uint8 holds a Go pointer"})
			refused[map[int]int](t, h, refusal{"", "map[int]int", "offheap: type map[int]int holds a Go pointer"})
			refused[func()](t, h, refusal{"", "func()", "offheap: type func() holds a Go pointer"})
			refused[any](t, h, refusal{"", "interface {}", "offheap: type interface {} holds a Go pointer"})
			refused[error](t, h, refusal{"", "error", "offheap: type error holds a Go pointer"})
			refused[chan int](t, h, refusal{"", "chan int", "offheap: type chan int holds a Go pointer"})
			refused[*int](t, h, refusal{"", "*int", "offheap: type *int holds a Go pointer"})
			refused[unsafe.Pointer](t, h, refusal{"", "unsafe.Pointer", "offheap: type unsafe.Pointer holds a Go pointer"})
			refused[[4]string](t, h, refusal{"[0]", "string", "offheap: type [4]string holds a Go pointer in element [0] (string)"})
			refused[[2][3]name](t, h, refusal{"[0][0].Name", "string", "offheap: type [2][3]offheap_test.name holds a Go pointer in element [0][0].Name (string)"})
			refused[name](t, h, refusal{"Name", "string", "offheap: type offheap_test.name holds a Go pointer in field Name (string)"})
			refused[entry](t, h, refusal{"Next.Name", "string", "offheap: type offheap_test.entry holds a Go pointer in field Next.Name (string)"})
			refused[wrapped](t, h, refusal{"name.Name", "string", "offheap: type offheap_test.wrapped holds a Go pointer in field name.Name (string)"})
			refused[table](t, h, refusal{"Rows[0][0].Next.Name", "string", "offheap: type offheap_test.table holds a Go pointer in field Rows[0][0].Next.Name (string)"})
			refused[link](t, h, refusal{"Next", "*offheap_test.link", "offheap: type offheap_test.link holds a Go pointer in field Next (*offheap_test.link)"})
			refused[time.Time](t, h, refusal{"loc", "*time.Location", "offheap: type time.Time holds a Go pointer in field loc (*time.Location)"})
			refused[atomic.Pointer[int]](t, h, refusal{"v", "unsafe.Pointer", "offheap: type atomic.Pointer[int] holds a Go pointer in field v (unsafe.Pointer)"})
			refused[struct{ _ *int }](t, h, refusal{"_", "*int", "offheap: type struct { _ *int } holds a Go pointer in field _ (*int)"})

			allowed[plain](t, h)
			allowed[bool](t, h)
			allowed[uintptr](t, h)
			allowed[memctx.Addr](t, h)
			allowed[offheap.Ref[string]](t, h)
			allowed[struct{}](t, h)
			allowed[[0]string](t, h)
			allowed[[0][4]link](t, h)
			allowed[[5][0]any](t, h)
			allowed[[1000]float64](t, h)
		}
	})
}

// TestTypesFromManyGoroutines has goroutines meet types for the first time
// together.
func TestTypesFromManyGoroutines(t *testing.T) {
	type (
		good struct{ A, B int32 }
		bad  struct {
			A int32
			B []int
		}
	)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := memctx.Scope(nil, func(mc *memctx.Context) error {
				for range 100 {
					if _, err := offheap.New[bad](mc); !errors.Is(err, offheap.ErrType) {
						t.Errorf("error is %v", err)
					}
					if _, err := offheap.New[good](mc); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
