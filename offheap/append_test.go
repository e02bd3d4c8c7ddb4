package offheap_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
	"github.com/cookmem-go/cookmem/segment"
)

// item has an odd size, so that capacities do not fit steps.
type item struct {
	a byte
	b [2]uint32
}

// twin is a slice in the heap and the Go slice that it must be like.
type twin struct {
	h       offheap.Heap
	s       []item
	want    []item
	written int // elements that may not be zero
}

// play decodes operations from the input, two bytes each, and does them to both. It
// ends with both freed.
func play(t testing.TB, h heap, input []byte) {
	t.Helper()
	w := twin{h: h}
	next := byte(1)
	for len(input) >= 2 {
		op, n := input[0], int(input[1])
		input = input[2:]
		switch op % 6 {
		case 0, 1:
			v := make([]item, n%40)
			for i := range v {
				v[i] = item{next, [2]uint32{uint32(next), ^uint32(next)}}
				next++
			}
			w.append(t, v, v)
		case 2: // a part of itself
			from := n % (len(w.s) + 1)
			w.append(t, w.s[from:], w.want[from:])
		case 3: // behind its own length, which is in the way of what is appended
			w.s, w.want = w.s[:len(w.s)/2], w.want[:len(w.want)/2]
			w.append(t, w.s[len(w.s):2*len(w.s)], w.want[len(w.want):2*len(w.want)])
		case 4:
			s, err := offheap.Grow(h, w.s, n)
			if err != nil {
				t.Fatal(err)
			}
			if w.s = s; cap(s)-len(s) < n {
				t.Fatalf("Grow by %d of %d has capacity %d", n, len(s), cap(s))
			}
		case 5:
			w.s, w.want = w.s[:len(w.s)*n/255], w.want[:len(w.want)*n/255]
		}
		w.compare(t)
		if len(w.s) > 5000 {
			offheap.FreeSlice(h, w.s)
			w = twin{h: h}
		}
	}
	offheap.FreeSlice(h, w.s)
	if blocks := h.Stats().Blocks; blocks != 0 {
		t.Errorf("%d blocks are left", blocks)
	}
}

// append appends v to the one and goV to the other.
func (w *twin) append(t testing.TB, v, goV []item) {
	t.Helper()
	w.s = mustAppend(t, w.h, w.s, v...)
	w.want = append(w.want, slices.Clone(goV)...)
}

// compare requires equal elements, and zeroes where nothing was ever written.
func (w *twin) compare(t testing.TB) {
	t.Helper()
	if w.s != nil && !isIn(w.h, w.s) {
		t.Fatal("the slice is not in the heap")
	}
	if !slices.Equal(w.s, w.want) {
		t.Fatalf("elements are\n%v, want\n%v", w.s, w.want)
	}
	w.written = max(w.written, len(w.s))
	for i, v := range w.s[w.written:cap(w.s)] {
		if v != (item{}) {
			t.Fatalf("element %d of %d is %v before anybody wrote to it", w.written+i, cap(w.s), v)
		}
	}
}

// TestAppendLikeBuiltin does random operations to slices in every mode.
func TestAppendLikeBuiltin(t *testing.T) {
	seed := segtest.Seed(t)
	eachHeap(t, func(t *testing.T, h heap) {
		r := rand.New(rand.NewPCG(seed, 25))
		for range 20 {
			input := make([]byte, 300)
			for i := range input {
				input[i] = byte(r.Uint32())
			}
			play(t, h, input)
		}
	})
}

// FuzzAppend reads a mode from the first byte and operations from the others.
func FuzzAppend(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 0, 3, 2, 1, 2, 0, 3, 0, 4, 200, 5, 100, 0, 39})
	f.Add([]byte{3, 4, 0, 4, 255, 0, 20, 3, 0, 3, 0, 2, 0, 2, 5, 5, 255})
	f.Add([]byte("any text is a sequence of operations too"))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		o := modes[int(input[0])%len(modes)].options
		o.Provider = segtest.Dirty(segment.Heap())
		err := memctx.Scope(&o, func(mc *memctx.Context) error {
			play(t, mc, input[1:])
			return mc.Check()
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
