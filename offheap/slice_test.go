package offheap_test

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
)

// TestCase25_AppendMovesTypedSlices lets the builtin append move slices of several
// types away, and requires the fault of every call that takes a slice.
func TestCase25_AppendMovesTypedSlices(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		movesAway(t, h, int8(1))
		movesAway(t, h, int64(1))
		movesAway(t, h, entryOf64{Key: 1}.Key)
		movesAway(t, h, [100]uint32{1})
		movesAway(t, h, struct{}{})
	})
}

func movesAway[T any](t *testing.T, h heap, v T) {
	t.Helper()
	s := mustMake[T](t, h, 2, 2)
	blocks := h.Stats().Blocks
	moved := append(s, v)
	if isIn(h, moved) {
		if unsafe.Sizeof(v) > 0 {
			t.Fatal("append did not move the slice")
		}
		moved = make([]T, 3) // the builtin may leave what has no bytes where it is
	}
	roomy := slices.Grow(moved, 10)
	mustFault(t, h, diag.Foreign, func() { offheap.FreeSlice(h, moved) })
	mustFault(t, h, diag.Foreign, func() { offheap.FreeSlice(h, []T{}) })
	mustFault(t, h, diag.Foreign, func() { _, _ = offheap.Grow(h, moved, 100) })
	mustFault(t, h, diag.Foreign, func() { _, _ = offheap.Append(h, slices.Clip(moved), v) })
	mustFault(t, h, diag.Foreign, func() { _, _ = offheap.Append(h, roomy, v) })
	mustFault(t, h, diag.Foreign, func() { _, _ = offheap.Grow(h, roomy, 0) })
	if h.Stats().Blocks != blocks {
		t.Error("the block is gone")
	}
	offheap.FreeSlice(h, s)
}

// TestPartsOfSlices frees and grows what begins where the block does, and requires
// a fault for what begins later.
func TestPartsOfSlices(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		for _, part := range []func([]int64) []int64{
			func(s []int64) []int64 { return s[:0] },
			func(s []int64) []int64 { return s[:3] },
			func(s []int64) []int64 { return s[:3:3] },
			func(s []int64) []int64 { return s[:0:0] },
		} {
			offheap.FreeSlice(h, part(mustMake[int64](t, h, 10, 10)))
			s := mustMake[int64](t, h, 10, 10)
			for i := range s {
				s[i] = int64(i)
			}
			n := len(part(s))
			grown := mustAppend(t, h, part(s), 100, 101, 102)
			if !slices.Equal(grown, append([]int64{0, 1, 2}[:n:n], 100, 101, 102)) {
				t.Errorf("%d elements grow to %v", n, grown)
			}
			offheap.FreeSlice(h, grown)
		}
		s := mustMake[[2]uint64](t, h, 10, 10)
		kind := diag.Corrupt
		switch {
		case h.Name() == "checked":
			kind = diag.Interior
		case bits.UintSize == 32:
			kind = diag.DoubleFree // zeroes look like a block that was freed
		}
		mustFault(t, h, kind, func() { offheap.FreeSlice(h, s[1:]) })
		mustFault(t, h, kind, func() { _, _ = offheap.Append(h, s[2:], s[0]) })
		offheap.FreeSlice(h, s)
		odd := mustMake[byte](t, h, 10, 10)
		mustFault(t, h, diag.Misaligned, func() { offheap.FreeSlice(h, odd[1:]) })
		offheap.FreeSlice(h, odd)
		if h.Stats().Blocks != 0 {
			t.Errorf("%d blocks are left", h.Stats().Blocks)
		}
	})
}

// TestSizesThatAreNone requires ErrSize for lengths, capacities and products that
// are no sizes, on systems of either width, and that nothing has changed.
func TestSizesThatAreNone(t *testing.T) {
	eachHeap(t, func(t *testing.T, h heap) {
		s := mustMake[entryOf64](t, h, 3, 4)
		s[2].Key = 42
		before := h.Footprint()
		refuse := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, memctx.ErrSize) {
				t.Errorf("%s: error is %v", what, err)
			}
		}
		size := int(unsafe.Sizeof(entryOf64{}))
		wraps := int(math.MaxUint / uint(size)) // times size, the largest unsigned number
		for _, c := range [][2]int{
			{-1, 10}, {-1, -1}, {math.MinInt, 0}, {0, -1}, {0, math.MinInt}, {5, 4}, {math.MaxInt, 4},
			{0, math.MaxInt}, {math.MaxInt, math.MaxInt}, {0, math.MaxInt/size + 1}, {0, wraps + 1},
			{0, memctx.MaxRequest/size + 1},
		} {
			made, err := offheap.MakeSlice[entryOf64](h, c[0], c[1])
			refuse("MakeSlice", err)
			if made != nil {
				t.Error("there is a slice")
			}
		}
		_, err := offheap.MakeSlice[struct{}](h, 0, -1)
		refuse("MakeSlice of nothing", err)
		for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 2, math.MaxInt/size + 1, wraps - 2, memctx.MaxRequest / size} {
			for _, from := range [][]entryOf64{s, nil} {
				if from == nil && n == memctx.MaxRequest/size {
					continue
				}
				grown, err := offheap.Grow(h, from, n)
				refuse("Grow", err)
				if unsafe.SliceData(grown) != unsafe.SliceData(from) || len(grown) != len(from) || cap(grown) != cap(from) {
					t.Error("the slice is another one")
				}
			}
		}
		huge, err := offheap.MakeSlice[struct{}](h, math.MaxInt, math.MaxInt)
		if err != nil || len(huge) != math.MaxInt {
			t.Fatalf("%d elements, %v", len(huge), err)
		}
		_, err = offheap.Append(h, huge, struct{}{})
		refuse("Append to as many as can be", err)
		offheap.FreeSlice(h, huge)
		if h.Footprint() != before || s[2].Key != 42 {
			t.Errorf("the footprint was %d and is %d", before, h.Footprint())
		}
		offheap.FreeSlice(h, mustAppend(t, h, s, entryOf64{}))
	})
}

// capped is a heap that refuses blocks above a size, and notes what it was asked
// for.
type capped struct {
	*memctx.Context
	most  int
	asked []int
}

func (c *capped) Realloc(p unsafe.Pointer, n int) (unsafe.Pointer, error) {
	c.asked = append(c.asked, n)
	if n > c.most {
		return nil, memctx.ErrLimit
	}
	return c.Context.Realloc(p, n)
}

// TestGrowWhereRoomIsScarce requires that growth asks for room, then for what is
// needed, and keeps the slice if neither can be had.
func TestGrowWhereRoomIsScarce(t *testing.T) {
	h := &capped{Context: newContext(t, memctx.Options{}), most: 1100}
	s := mustMake[[10]byte](t, h, 100, 100)
	s[99][9] = 42
	s = mustAppend(t, h, s, [10]byte{1})
	if !slices.Equal(h.asked, []int{1020}) || cap(s) != 102 {
		t.Errorf("asked for %v bytes, capacity %d", h.asked, cap(s))
	}
	h.asked = nil
	s = mustAppend(t, h, s, make([][10]byte, 5)...)
	if !slices.Equal(h.asked, []int{1530, 1060}) || cap(s) != 106 || s[99][9] != 42 || s[100][0] != 1 {
		t.Errorf("asked for %v bytes, capacity %d", h.asked, cap(s))
	}
	h.asked = nil
	same, err := offheap.Append(h, s, make([][10]byte, 5)...)
	if !errors.Is(err, memctx.ErrLimit) || !slices.Equal(h.asked, []int{1530, 1110}) || len(same) != 106 || &same[0] != &s[0] || s[99][9] != 42 {
		t.Errorf("asked for %v bytes, length %d, %v", h.asked, len(same), err)
	}
	offheap.FreeSlice(h, same)
}

// TestGrowthIsLinear requires that a loop of Append asks the heap a few times only,
// in modes too in which Realloc has no room of its own.
func TestGrowthIsLinear(t *testing.T) {
	for _, m := range modes {
		h := &capped{Context: newContext(t, m.options), most: math.MaxInt}
		var s []int32
		for i := range int32(100_000) {
			s = mustAppend(t, h, s, i)
		}
		if len(h.asked) > 2*(bits.Len(400_000)-4) || cap(s) > 150_000 {
			t.Errorf("%s: %d calls, capacity %d", m.name, len(h.asked), cap(s))
		}
		for i, v := range s {
			if v != int32(i) {
				t.Fatalf("element %d is %d", i, v)
			}
		}
		// Room that was asked for is there for the builtin.
		s, err := offheap.Grow(h, s, 100_000)
		if err != nil || cap(s) < 200_000 || !isIn(h, append(s, make([]int32, 100_000)...)) {
			t.Errorf("%s: capacity %d, %v", m.name, cap(s), err)
		}
		offheap.FreeSlice(h, s)
	}
}

// careless is a heap that knows none of its memory, and does not mind what it is
// given back.
type careless struct{ *memctx.Context }

func (careless) Contains(unsafe.Pointer) bool { return false }
func (careless) FreeBytes([]byte)             {}

// TestFaultOfCarelessHeaps requires the fault where the heap raises none.
func TestFaultOfCarelessHeaps(t *testing.T) {
	defer func() {
		if f, ok := recover().(*diag.Fault); !ok || f.Kind != diag.Foreign || f.Op != "Grow" || f.Addr == 0 {
			t.Errorf("the fault is %v", f)
		}
	}()
	h := careless{newContext(t, memctx.Options{})}
	_, _ = offheap.Append(h, []int{1}, 2)
}
