package memctx_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// The tests named TestCaseNN replay, in small, what has gone wrong for users of
// other heaps. These are about sizes and alignments.

// wish is what a context asked its provider for.
type wish struct{ min, max int }

// listener has no memory, and writes down what it was asked for.
type listener struct{ wishes []wish }

func (l *listener) Acquire(min, max int) (segment.Segment, error) {
	l.wishes = append(l.wishes, wish{min, max})
	return segment.Null().Acquire(min, max)
}

func (l *listener) Release(s segment.Segment) error { return segment.Null().Release(s) }

// sizeCall is a call that takes a number of bytes.
type sizeCall struct {
	op   string
	call func(mc *memctx.Context, n int) error
}

var sizeCalls = []sizeCall{
	{"Alloc", func(mc *memctx.Context, n int) error { _, err := mc.Alloc(n); return err }},
	{"AllocZeroed", func(mc *memctx.Context, n int) error { _, err := mc.AllocZeroed(1, n); return err }},
	{"AllocZeroed", func(mc *memctx.Context, n int) error { _, err := mc.AllocZeroed(n, 1); return err }},
	{"AllocAligned", func(mc *memctx.Context, n int) error { _, err := mc.AllocAligned(n, 8); return err }},
	{"Realloc", func(mc *memctx.Context, n int) error { _, err := mc.Realloc(nil, n); return err }},
	{"Bytes", func(mc *memctx.Context, n int) error { _, err := mc.Bytes(n); return err }},
}

func TestCase01_LargestSizes(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, counter := newCounted(t, o)
		sizes := []int{1 << (bits.UintSize - 2), -1, math.MinInt, math.MinInt + 1, memctx.MaxRequest + 1}
		for i := range 65 {
			sizes = append(sizes, math.MaxInt-i)
		}
		for _, n := range sizes {
			if n > 0 && n <= memctx.MaxRequest {
				continue // on 32-bit systems 1<<30 is a lot, but no impossible size
			}
			for _, c := range sizeCalls {
				mustFail(t, c.call(mc, n), memctx.ErrSize, c.op)
			}
		}
		if mc.Footprint() != 0 || counter.Calls() != 0 {
			t.Errorf("impossible sizes cost %d bytes and %d calls", mc.Footprint(), counter.Calls())
		}
		mc.Free(mustAlloc(t, mc, 64))
	})
}

func TestCase02_EdgeOfMaxRequest(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		ears := &listener{}
		o.Provider = ears
		mc := newContext(t, &o)
		for n := memctx.MaxRequest - 64; n <= memctx.MaxRequest+64; n++ {
			for _, c := range sizeCalls {
				ears.wishes = nil
				err := c.call(mc, n)
				if n > memctx.MaxRequest {
					mustFail(t, err, memctx.ErrSize, c.op)
					if len(ears.wishes) != 0 {
						t.Fatalf("%s(%d) asked the provider for %v", c.op, n, ears.wishes)
					}
					continue
				}
				mustFail(t, err, memctx.ErrNoMemory, c.op)
				if len(ears.wishes) == 0 {
					t.Fatalf("%s(%d) did not ask the provider", c.op, n)
				}
				for _, w := range ears.wishes {
					if w.min < n || w.max < w.min {
						t.Fatalf("%s(%d) asked for %d to %d bytes", c.op, n, w.min, w.max)
					}
				}
			}
		}
	})
}

// TestCase02_EdgeOfLimit finds the largest request that a limit allows: one byte
// more must be refused, and little of the limit may be lost.
func TestCase02_EdgeOfLimit(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for _, limit := range []int{4096, 10_000, 16 << 10, 100_001, 1 << 20} {
			o.Limit = memctx.Size(limit)
			lo, hi := 0, limit
			for lo < hi {
				n := (lo + hi + 1) / 2
				if allowed(t, o, n) {
					lo = n
				} else {
					hi = n - 1
				}
			}
			if lost := limit - lo; lost < 0 || lost > limit/16+160 {
				t.Errorf("limit %d: the largest request is %d", limit, lo)
			}
		}
	})
}

// allowed reports whether an empty context can serve n bytes within its limit.
func allowed(t *testing.T, o memctx.Options, n int) bool {
	mc, _ := newCounted(t, o)
	p, err := mc.Alloc(n)
	if mc.PeakFootprint() > mc.Limit() {
		t.Fatalf("Alloc(%d): the footprint was %d at a limit of %d", n, mc.PeakFootprint(), mc.Limit())
	}
	if err != nil {
		mustFail(t, err, memctx.ErrLimit, "Alloc")
		return false
	}
	fill(p, n, 0xFF)
	mc.Free(p)
	return true
}

func TestCase03_ProductsThatWrap(t *testing.T) {
	const half = bits.UintSize / 2
	pairs := [][2]int{
		{1 << (half + 1), 1 << (half - 1)}, {math.MaxInt/2 + 1, 2}, {1<<half + 1, 1 << half},
		{1 << half, 1 << half}, {math.MaxInt, math.MaxInt}, {-1, 1}, {1, -1}, {-1, -1}, {-1, 0}, {0, -1},
		{math.MinInt, math.MinInt}, {memctx.MaxRequest, 2}, {2, memctx.MaxRequest},
	}
	mc, counter := newCounted(t, memctx.Options{})
	for _, pair := range pairs {
		_, err := mc.AllocZeroed(pair[0], pair[1])
		mustFail(t, err, memctx.ErrSize, "AllocZeroed")
	}
	if counter.Calls() != 0 {
		t.Errorf("impossible products cost %d calls", counter.Calls())
	}
	for _, pair := range [][2]int{{0, 0}, {0, math.MaxInt}, {math.MaxInt, 0}, {1, 1}, {1000, 3}} {
		p, err := mc.AllocZeroed(pair[0], pair[1])
		if err != nil {
			t.Fatalf("AllocZeroed(%d, %d): %v", pair[0], pair[1], err)
		}
		mc.Free(p)
	}
}

func TestCase04_AlignedOnAnEmptyContext(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for _, bad := range [][2]int{
			{math.MaxInt - 4096, 1 << 20}, {64, 1 << (bits.UintSize - 2)}, {memctx.MaxRequest - 63, 64},
			{memctx.MaxRequest, 16 << 10}, {-1, 64}, {-4096, 4096},
		} {
			_, err := mc.AllocAligned(bad[0], bad[1])
			if bits.UintSize == 32 && bad[1] == 1<<(bits.UintSize-2) {
				continue // 1 GiB may be had there; the conformance tests free it again
			}
			mustFail(t, err, memctx.ErrSize, "AllocAligned")
		}
		p := mustAligned(t, mc, 1024, 32)
		fill(p, 1024, 1)
		mc.Free(p)
	})
}

func TestCase05_BadAlignments(t *testing.T) {
	mc, counter := newCounted(t, memctx.Options{})
	for _, align := range []int{0, 3, 24, 96, -8, -16, math.MinInt, math.MaxInt} {
		_, err := mc.AllocAligned(8, align)
		mustFail(t, err, memctx.ErrAlign, "AllocAligned")
		if errors.Is(err, memctx.ErrNoMemory) || errors.Is(err, memctx.ErrSize) {
			t.Errorf("align %d: %v is also another error", align, err)
		}
	}
	if counter.Calls() != 0 {
		t.Errorf("bad alignments cost %d calls", counter.Calls())
	}
}

// TestCase06_Exhaustion fills all that is allowed with blocks of 1 KiB, frees them,
// and needs it in one piece.
func TestCase06_Exhaustion(t *testing.T) {
	const size = 4 << 20
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Limit = size
		mc, _ := newCounted(t, o)
		var blocks []unsafe.Pointer
		for {
			p, err := mc.Alloc(1024)
			if err != nil {
				mustFail(t, err, memctx.ErrLimit, "Alloc")
				break
			}
			blocks = append(blocks, p)
		}
		if len(blocks) < size/(1024+128) {
			t.Errorf("%d blocks in %d bytes", len(blocks), size)
		}
		mustCheck(t, mc)
		for _, p := range blocks {
			mc.Free(p)
		}
		mc.Free(mustAlloc(t, mc, size-size/16))
	})
}

// TestCase06_AddressSpace asks a 32-bit system for more than there is. Nothing
// is touched, so it costs no memory.
func TestCase06_AddressSpace(t *testing.T) {
	if bits.UintSize == 64 {
		t.Skip("64 bits are not exhausted")
	}
	mc := newContext(t, &memctx.Options{Provider: segment.OS()})
	var blocks []unsafe.Pointer
	for {
		p, err := mc.Alloc(64 << 20)
		if err != nil {
			if !errors.Is(err, memctx.ErrNoMemory) && !errors.Is(err, memctx.ErrLimit) {
				t.Error(err)
			}
			break
		}
		blocks = append(blocks, p)
	}
	if len(blocks) < 8 || mc.Footprint() < 8*64<<20 {
		t.Errorf("%d blocks, footprint %d", len(blocks), mc.Footprint())
	}
	mustCheck(t, mc)
	for _, p := range blocks {
		mc.Free(p)
	}
}

func TestCase32_NegativeSizes(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		p := mustAlloc(t, mc, 100)
		for n := -1; n >= -23-chunk.Min; n-- {
			for _, c := range sizeCalls {
				mustFail(t, c.call(mc, n), memctx.ErrSize, c.op)
			}
			if _, err := mc.Realloc(p, n); !errors.Is(err, memctx.ErrSize) {
				t.Errorf("Realloc(p, %d) = %v", n, err)
			}
			if mc.TryResize(p, n) {
				t.Errorf("TryResize(p, %d) = true", n)
			}
		}
		if got := mc.Stats().Blocks; got != 1 {
			t.Errorf("%d blocks are live", got)
		}
		mc.Free(p)
	})
}

// TestErrorTellsTheRequest looks at what a refusal says.
func TestErrorTellsTheRequest(t *testing.T) {
	mc := newContext(t, &memctx.Options{Name: "tenant", Limit: 10_000, Provider: segment.Heap()})
	_, err := mc.AllocAligned(1<<20, 64)
	var e *memctx.Error
	if !errors.As(err, &e) || e.N != 1<<20 || e.Align != 64 || e.Limit != 10_000 || e.By != "tenant" || e.Footprint != 0 {
		t.Errorf("the error is %#v", e)
	}
	_, err = mc.Bytes(-5)
	mustFail(t, err, memctx.ErrSize, "Bytes")
	if !errors.As(err, &e) || e.N != -5 {
		t.Errorf("the error of Bytes(-5) is %#v", e)
	}
	for _, c := range [][3]int{
		{-5, 3, -15}, {5, -3, -15}, {math.MaxInt, 2, math.MaxInt}, {2, math.MaxInt, 2},
		{math.MinInt, -1, math.MinInt}, {-1, math.MinInt, -1}, {math.MaxInt, 1, math.MaxInt},
	} {
		if _, err := mc.AllocZeroed(c[0], c[1]); !errors.As(err, &e) || e.N != c[2] || !errors.Is(err, memctx.ErrSize) {
			t.Errorf("the error of AllocZeroed(%d, %d) is %#v", c[0], c[1], e)
		}
	}
	if err := mc.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(mc.Check()), `memctx: Check in context "tenant": context is closed`; got != want {
		t.Errorf("the error is %s\nwant %s", got, want)
	}
}

// TestErrorText looks at the whole text of a refusal.
func TestErrorText(t *testing.T) {
	mc := newContext(t, &memctx.Options{Name: "tenant", Limit: 10_000, Provider: segment.Heap()})
	_, err := mc.AllocAligned(1<<20, 64)
	want := `memctx: AllocAligned of 1048576 bytes aligned to 64 in context "tenant": memory limit reached (limit 10000B, footprint 0B)`
	if got := fmt.Sprint(err); got != want {
		t.Errorf("the error is %s\nwant %s", got, want)
	}
}
