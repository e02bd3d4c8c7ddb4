package memctx

import (
	"iter"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/tree"
)

// Stats returns a snapshot of the heap's sizes. It belongs to the owner of the
// context and costs about a microsecond, whatever the number of blocks. On a
// closed context only what the provider refused to take back is left.
func (mc *Context) Stats() diag.Stats {
	quarantined, _ := mc.quarantinedSize()
	s := diag.Stats{
		Footprint:     mc.Footprint(),
		PeakFootprint: mc.PeakFootprint(),
		InUse:         int(mc.inUse()),
		Cached:        int(mc.quick.CachedBytes() + mc.delayedSize() + quarantined),
		Free:          int(mc.small.Bytes() + mc.tree.Bytes()),
		Top:           int(mc.top.open()),
		Reserve:       int(mc.top.limit - mc.top.opened),
		LargestFree:   int(max(mc.largestFree(), mc.top.rest())),
		Segments:      len(mc.segments.sorted),
		Allocs:        mc.large.allocs,
		Frees:         mc.large.frees,
	}
	for class := uint8(bins.First); class < bins.Classes; class++ {
		s.Allocs += mc.quick.Of(class).Allocs
		s.Frees += mc.quick.Of(class).Frees
	}
	s.Blocks = s.Allocs - s.Frees
	for _, u := range mc.refused() {
		s.Unreleased += u.Size
	}
	s.Overhead = s.Footprint - s.InUse - s.Cached - s.Free - s.Top - s.Reserve - s.Unreleased
	return s
}

// largestFree returns the size of the largest free chunk.
func (mc *Context) largestFree() uintptr {
	if b := mc.tree.Max(); b != 0 {
		return tree.Size(b)
	}
	return mc.small.Largest()
}

// Blocks returns an iterator over the live blocks, in the order of their
// addresses within each segment. While it runs, no other call on the context
// is allowed; a Free from within the loop is a fault.
func (mc *Context) Blocks() iter.Seq[diag.Block] {
	return func(yield func(diag.Block) bool) {
		if !mc.enter("Blocks") {
			return
		}
		defer mc.leave() // the loop's body may panic
		mc.blocks(yield)
	}
}

// blocks calls yield for the live blocks until it returns false.
func (mc *Context) blocks(yield func(diag.Block) bool) {
	mc.walk(func(c raw.Addr, head chunk.Head) bool {
		return !mc.isLive(c, head) || yield(mc.describe(c, head))
	})
}

// isLive reports whether a user holds the block of the chunk c.
func (mc *Context) isLive(c raw.Addr, head chunk.Head) bool {
	switch head.State() {
	case chunk.InUse:
		return !mc.quarantine().holds(c)
	case chunk.Trailed:
		if mc.mode&checked != 0 {
			return mc.watch.blocks.isLive(chunk.Block(c) + mc.front())
		}
		return !mc.quarantine().holds(c)
	}
	return false
}

// describe returns the live block of chunk c.
func (mc *Context) describe(c raw.Addr, head chunk.Head) diag.Block {
	b := chunk.Block(c)
	if head.State() == chunk.Trailed {
		b += mc.front()
	}
	usable, align := mc.extent(b, c, head)
	return diag.Block{Addr: uintptr(b), Size: int(usable), Align: int(align), Exact: head.State() == chunk.Trailed, Stack: mc.siteOf(b)}
}
