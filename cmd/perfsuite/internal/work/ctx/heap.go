package ctx

import (
	"sync"
	"unsafe"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// ref is the address of a block. Zero is none.
type ref = uintptr

func none() ref             { return 0 }
func isNone(r ref) bool     { return r == 0 }
func at[T any](r ref) *T    { return raw.At[T](raw.Addr(r)) }
func plus(r ref, n int) ref { return r + uintptr(n) }

// slice returns the count items of type T at r.
func slice[T any](r ref, count int) []T { return unsafe.Slice(at[T](r), count) }

// heap is a context with default options except for the tree, or the pages; each
// run gets a new one.
type heap struct {
	options memctx.Options
	mc      *memctx.Context
	most    int64 // bytes of the largest footprint so far
}

// RB returns contexts with red-black trees. Streams are scaled down by scale, 1
// is full.
func RB(scale int) work.Runner { return with(tree.RB, scale) }

// AVL is RB with AVL trees.
func AVL(scale int) work.Runner { return with(tree.AVL, scale) }

// Trie is RB with bitwise tries.
func Trie(scale int) work.Runner { return with(tree.Trie, scale) }

func with(kind tree.Kind, scale int) work.Runner {
	return &runner{scale: scale, heap: heap{options: memctx.Options{Tree: kind}}}
}

// Play returns the function that makes contexts with trees of that kind for a
// tape.
func Play(kind tree.Kind) func(*tape.Tape) work.Runner {
	return func(t *tape.Tape) work.Runner {
		return &player{tape: t, heap: heap{options: memctx.Options{Tree: kind}}}
	}
}

// Hold returns the function that makes contexts with trees of that kind for a
// crowd.
func Hold(kind tree.Kind) func(work.Crowd) work.Holder {
	return func(c work.Crowd) work.Holder {
		return &holder{crowd: c, heap: heap{options: memctx.Options{Tree: kind}}}
	}
}

// onHuge are default options, but for huge pages beneath a cache that is to these
// contexts what segment.Default is to the others.
var onHuge = sync.OnceValue(func() memctx.Options {
	const keep = 1 << 30
	return memctx.Options{Provider: segment.NewCache(segment.Huge(segment.OS()), keep)}
})

// OnHuge is RB on huge pages.
func OnHuge(scale int) work.Runner {
	return &runner{scale: scale, heap: heap{options: onHuge()}}
}

// PlayOnHuge makes contexts on huge pages for a tape.
func PlayOnHuge(t *tape.Tape) work.Runner {
	return &player{tape: t, heap: heap{options: onHuge()}}
}

// HoldOnHuge makes contexts on huge pages for a crowd.
func HoldOnHuge(c work.Crowd) work.Holder {
	return &holder{crowd: c, heap: heap{options: onHuge()}}
}

func (h *heap) prepare(work.Test) {}
func (h *heap) warmUp() bool      { return false }
func (h *heap) rewind()           {}

func (h *heap) open() (err error) {
	h.mc, err = memctx.New(&h.options)
	return err
}

func (h *heap) close() error {
	h.most = max(h.most, int64(h.mc.PeakFootprint()))
	return h.mc.Close()
}

func (h *heap) drop() error { return h.close() }

func (h *heap) peak() (int64, bool) { return h.most, true }

func (h *heap) alloc(n int) ref {
	p, err := h.mc.Alloc(n)
	if err != nil {
		panic(err)
	}
	return ref(p)
}

// The three that follow are alloc once more, because the compiler would not
// inline a call of a call.

func (h *heap) allocListNode() ref {
	p, err := h.mc.Alloc(work.ListNodeSize)
	if err != nil {
		panic(err)
	}
	return ref(p)
}

func (h *heap) allocMapNode() ref {
	p, err := h.mc.Alloc(work.MapNodeSize)
	if err != nil {
		panic(err)
	}
	return ref(p)
}

func (h *heap) allocStrings(count int) ref {
	p, err := h.mc.Alloc(count * work.StringSize)
	if err != nil {
		panic(err)
	}
	return ref(p)
}

// realloc brings a block, or none, to n bytes; its old size is not needed.
func (h *heap) realloc(p ref, _, n int) ref {
	q, err := h.mc.Realloc(*(*unsafe.Pointer)(unsafe.Pointer(&p)), n)
	if err != nil {
		panic(err)
	}
	return ref(q)
}

func (h *heap) free(p ref) { h.mc.Free(raw.Addr(p).Pointer()) }

// What follows is for tapes only.

func (h *heap) allocZeroed(n int) ref {
	p, err := h.mc.AllocZeroed(1, n)
	if err != nil {
		panic(err)
	}
	return ref(p)
}

func (h *heap) allocAligned(n, align int) ref {
	p, err := h.mc.AllocAligned(n, align)
	if err != nil {
		panic(err)
	}
	return ref(p)
}

// reallocAligned needs no alignment: a context knows it.
func (h *heap) reallocAligned(p ref, old, n, _ int) ref { return h.realloc(p, old, n) }

func (h *heap) freeAligned(p ref) { h.free(p) }

// reset drops all blocks and reports that it could.
func (h *heap) reset() bool {
	if err := h.mc.Reset(); err != nil {
		panic(err)
	}
	return true
}
