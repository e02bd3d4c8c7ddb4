package memctx_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// These cases are about single blocks: what they keep, what they hold, and what
// happens when they are given back wrongly.

func TestCase07_AlignmentSurvivesRealloc(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for _, align := range []int{128, 32, 4096, 64 << 10} {
			p := mustAligned(t, mc, 100, align)
			pin := mustAlloc(t, mc, 100)
			fill(p, 100, 0x5A)
			kept := 100
			for _, n := range []int{10_000, 3, 100_000, 0, 200} {
				p = mustRealloc(t, mc, p, n)
				if uintptr(p)%uintptr(align) != 0 {
					t.Fatalf("%p is not aligned to %d after Realloc to %d", p, align, n)
				}
				if kept = min(kept, n); !all(p, kept, 0x5A) {
					t.Fatalf("contents are lost after Realloc to %d", n)
				}
				mustCheck(t, mc)
			}
			mc.Free(p)
			mc.Free(pin)
		}
	})
}

// TestCase08_ReallocTable goes through the table in Realloc's comment.
func TestCase08_ReallocTable(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for _, n := range []int{0, 1, 100, 10_000} {
			p := mustRealloc(t, mc, nil, n)
			if p == nil || mc.UsableSize(p) < n {
				t.Fatalf("Realloc(nil, %d) = %p", n, p)
			}
			for _, m := range []int{0, 1, 100, 10_000, 0} {
				p = mustRealloc(t, mc, p, m)
				if p == nil || mc.UsableSize(p) < m || mc.Stats().Blocks != 1 {
					t.Fatalf("Realloc(live, %d) = %p, %d blocks are live", m, p, mc.Stats().Blocks)
				}
			}
			mc.Free(p)
			if got := mc.Stats().Blocks; got != 0 {
				t.Fatalf("%d blocks leaked", got)
			}
		}
		mc.Free(nil)
		mc.FreeSized(nil, 1, 1)
		mc.FreeBytes(nil)
	})
}

// zeroEdges are sizes around which the heap changes its ways.
func zeroEdges() []int {
	sizes := []int{0, 1, 2, 3}
	for class := chunk.Min / chunk.Align; class < bins.Classes; class++ {
		n := int(bins.SizeOf(uint8(class))) - chunk.Header
		sizes = append(sizes, n-1, n, n+1)
	}
	for _, n := range []int{16 << 10, 64 << 10, 1 << 20} {
		sizes = append(sizes, n-1, n, n+1)
	}
	return sizes
}

func TestCase09_ZeroedIsZero(t *testing.T) {
	junk := segtest.Paged(segtest.Dirty(segment.Heap()), 4096)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for name, p := range map[string]segment.Provider{"clean": segment.Heap(), "dirty": junk} {
			o.Provider = p
			mc := newContext(t, &o)
			for _, n := range zeroEdges() {
				p := mustAlloc(t, mc, n)
				fill(p, mc.UsableSize(p), 0xAB)
				mc.Free(p)
				zeroed(t, mc, name, n)
			}
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			zeroed(t, mc, name, 1000)
		}
	})
}

// zeroed allocates two zeroed blocks of n bytes, requires that they are, and
// frees them.
func zeroed(t *testing.T, mc *memctx.Context, name string, n int) {
	t.Helper()
	for range 2 {
		p, err := mc.AllocZeroed(1, n)
		if err != nil {
			t.Fatal(err)
		}
		if !all(p, n, 0) {
			t.Fatalf("AllocZeroed(1, %d) is not zero in %s memory", n, name)
		}
		fill(p, n, 0xCD)
		defer mc.Free(p)
	}
}

// TestCase09_DiscardedTopIsNotZero discards a top that was never written to, on
// a system that leaves junk in discarded pages.
func TestCase09_DiscardedTopIsNotZero(t *testing.T) {
	mc := newContext(t, &memctx.Options{Provider: segtest.Paged(segment.Heap(), 4096)})
	const n = 9000
	for mc.Footprint() < 4<<20 {
		mustAlloc(t, mc, n)
	}
	for range 100 {
		mc.Free(mustAlloc(t, mc, n))
		if err := mc.Trim(); err != nil {
			t.Fatal(err)
		}
		mustAlloc(t, mc, n)
		p, err := mc.AllocZeroed(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !all(p, n, 0) {
			t.Fatal("AllocZeroed returned what a discarded page held")
		}
	}
}

// TestCase21_ZeroAfterReset fills blocks, resets the context, and asks for zeroes
// where they lay. Typed memory in an arena is such memory.
func TestCase21_ZeroAfterReset(t *testing.T) {
	sizes := []int{1, 8, 24, 100, 1000, bins.MaxRequest, 20_000, 300_000}
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Retain = memctx.NoLimit
		mc := newContext(t, &o)
		for round := range 3 {
			before := mc.Footprint()
			for _, n := range sizes {
				for range 20 {
					p, err := mc.AllocZeroed(n, 1)
					if err != nil {
						t.Fatal(err)
					}
					if !all(p, n, 0) {
						t.Fatalf("round %d: %d bytes are not zero", round, n)
					}
					fill(p, n, 0xff)
				}
			}
			if round > 0 && mc.Footprint() != before {
				t.Error("the memory is not the same")
			}
			if err := mc.Reset(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestCase17_DoubleFree frees blocks of all sorts twice, with their neighbours
// freed before, between and not at all.
func TestCase17_DoubleFree(t *testing.T) {
	sizes := []int{0, 1, 24, 64, 500, 1000, bins.MaxRequest, bins.MaxRequest + 1, 20_000, 300_000, 3 << 20}
	between := map[string]func(mc *memctx.Context, before, behind unsafe.Pointer){
		"nothing":         func(*memctx.Context, unsafe.Pointer, unsafe.Pointer) {},
		"neighbour after": func(mc *memctx.Context, _, behind unsafe.Pointer) { mc.Free(behind) },
		"before":          func(mc *memctx.Context, before, _ unsafe.Pointer) { mc.Free(before) },
		"both":            func(mc *memctx.Context, before, behind unsafe.Pointer) { mc.Free(before); mc.Free(behind) },
		"both, backwards": func(mc *memctx.Context, before, behind unsafe.Pointer) { mc.Free(behind); mc.Free(before) },
	}
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		for name, f := range between {
			for _, n := range sizes {
				t.Run(fmt.Sprintf("%s-%d", name, n), func(t *testing.T) {
					before, p, behind := mustAlloc(t, mc, n), mustAlloc(t, mc, n), mustAlloc(t, mc, n)
					mustAlloc(t, mc, n)
					mc.Free(p)
					f(mc, before, behind)
					mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(p) })
					mustFault(t, mc, diag.DoubleFree, "Realloc", func() { mc.Realloc(p, 1) })
					mustFault(t, mc, diag.DoubleFree, "FreeSized", func() { mc.FreeSized(p, n, 0) })
					mustFault(t, mc, diag.DoubleFree, "TryResize", func() { mc.TryResize(p, n) })
					mustFault(t, mc, diag.DoubleFree, "UsableSize", func() { mc.UsableSize(p) })
					mustFault(t, mc, diag.DoubleFree, "FreeBytes", func() { mc.FreeBytes(bytesAt(p, n)) })
					mustCheck(t, mc)
				})
			}
		}
	})
}

func TestCase17_FreeAfterRealloc(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		// In place: one block, freed once and then once too often.
		p := mustAlloc(t, mc, 100)
		if q := mustRealloc(t, mc, p, 101); q != p {
			t.Fatalf("a byte more moved the block from %p to %p", p, q)
		}
		mc.Free(p)
		mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(p) })
		// Moved: the old address is free.
		p = mustAlloc(t, mc, 100)
		mustAlloc(t, mc, 100)
		q := mustRealloc(t, mc, p, 100_000)
		if q == p {
			t.Fatal("the block grew over its neighbour")
		}
		mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(p) })
		mc.Free(q)
		mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(q) })
		mustCheck(t, mc)
	})
}

func TestCase17_MisalignedAndAfterClose(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Name = "tenant"
		mc, _ := newCounted(t, o)
		p := mustAlloc(t, mc, 100)
		for off := 1; off < chunk.Align; off++ {
			q := unsafe.Add(p, off)
			mustFault(t, mc, diag.Misaligned, "Free", func() { mc.Free(q) })
			mustFault(t, mc, diag.Misaligned, "Realloc", func() { mc.Realloc(q, 1) })
			mustFault(t, mc, diag.Misaligned, "UsableSize", func() { mc.UsableSize(q) })
		}
		mustFault(t, mc, diag.Misaligned, "FreeBytes", func() { mc.FreeBytes(bytesAt(p, 100)[3:]) })
		mustCheck(t, mc)
		if err := mc.Close(); err != nil {
			t.Fatal(err)
		}
		mustFault(t, mc, diag.AfterClose, "Free", func() { mc.Free(p) })
		mustFault(t, mc, diag.AfterClose, "FreeSized", func() { mc.FreeSized(p, 100, 0) })
		mustFault(t, mc, diag.AfterClose, "UsableSize", func() { mc.UsableSize(p) })
		mustFault(t, mc, diag.AfterClose, "TryResize", func() { mc.TryResize(p, 1) })
		_, err := mc.Realloc(p, 1)
		mustFail(t, err, memctx.ErrClosed, "Realloc")
	})
}

// TestCase17_Foreign frees what belongs to another context. On 32-bit systems
// there is no tag in a head, but the records tell.
func TestCase17_Foreign(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mine, _ := newCounted(t, o)
		other, _ := newCounted(t, o)
		mustAlloc(t, mine, 8)
		for _, n := range []int{0, 100, 5000, 20_000, 300_000} {
			p := mustAlloc(t, other, n)
			if mine.Contains(p) || !other.Contains(p) {
				t.Errorf("%p is in the wrong context", p)
			}
			mustFault(t, mine, diag.Foreign, "Realloc", func() { mine.Realloc(p, 1) })
			mustFault(t, mine, diag.Foreign, "UsableSize", func() { mine.UsableSize(p) })
			mustFault(t, mine, diag.Foreign, "FreeBytes", func() { mine.FreeBytes(bytesAt(p, n)) })
			if chunk.Header == 8 || n > bins.MaxRequest || o.Guard {
				mustFault(t, mine, diag.Foreign, "Free", func() { mine.Free(p) })
			}
			other.Free(p)
		}
		mustCheck(t, mine)
		mustCheck(t, other)
	})
}

// TestCase23_AlignedOn32Bits requires 8-byte alignment, which 64-bit integers
// want, of all blocks everywhere.
func TestCase23_AlignedOn32Bits(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for n := range 400 {
			p := mustAlloc(t, mc, n)
			q := mustRealloc(t, mc, mustAlloc(t, mc, n), 3*n)
			if uintptr(p)%chunk.Align != 0 || uintptr(q)%chunk.Align != 0 || chunk.Align < 8 {
				t.Fatalf("%d bytes at %p and %p", n, p, q)
			}
		}
	})
}

func TestCase25_AppendMovesAway(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		b, err := mc.Bytes(100)
		if err != nil {
			t.Fatal(err)
		}
		grown := append(b, 1)
		if mc.Contains(unsafe.Pointer(&grown[0])) {
			t.Fatal("append did not move the slice")
		}
		mustFault(t, mc, diag.Foreign, "FreeBytes", func() { mc.FreeBytes(grown) })
		if mc.Stats().Blocks != 1 {
			t.Error("the block is gone")
		}
		mc.FreeBytes(b)
	})
}

// TestCase28_BufferOnTheStack gives a context a buffer that was on the stack,
// and lets the stack grow.
func TestCase28_BufferOnTheStack(t *testing.T) {
	done := make(chan error)
	go func() {
		var buf [64 << 10]byte
		done <- memctx.Scope(&memctx.Options{Provider: segment.Fixed(buf[:])}, func(mc *memctx.Context) error {
			p, err := mc.Alloc(1000)
			if err != nil {
				return err
			}
			fill(p, 1000, 0x77)
			growStack(1000)
			if !all(p, 1000, 0x77) {
				return fmt.Errorf("the contents have changed: % x", bytesAt(p, 16))
			}
			mc.Free(p)
			return mc.Check()
		})
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// growStack needs a kilobyte of stack at each of the given number of levels.
func growStack(levels int) byte {
	var frame [1024]byte
	if levels > 0 {
		frame[levels%len(frame)] = growStack(levels - 1)
	}
	return frame[(levels+1)%len(frame)]
}

func TestCase31_FreedIntoANeighbour(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		for _, n := range []int{0, 24, 40, 56, 200, 480, 1000, 9000, 40_000} {
			a, b := mustAlloc(t, mc, n), mustAlloc(t, mc, n)
			mustAlloc(t, mc, n)
			mc.Free(a)
			mc.Free(b)
			mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(b) })
			// Small ones join only when the cache is flushed.
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(b) })
			mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(a) })
			mustCheck(t, mc)
		}
	})
}

// TestCase31_TombstoneOverwritten joins a block with a free one so small that
// the links of the free chunk reach over the joined block's head.
func TestCase31_TombstoneOverwritten(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		for n := range 64 {
			a, b := mustAlloc(t, mc, n), mustAlloc(t, mc, 2000)
			mustAlloc(t, mc, 1)
			mc.Free(a)
			mc.Free(b)
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(b) })
			mustCheck(t, mc)
		}
	})
}
