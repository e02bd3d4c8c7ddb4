package memctx

import (
	"errors"
	"fmt"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/tree"
)

// Check recomputes everything the context believes about its heap from the
// heap itself and returns an error that names the first thing found wrong, by
// its number in docs/INVARIANTS.md; a broken guard or trailer is returned as a
// [*diag.Fault]. It visits every chunk and changes nothing.
func (mc *Context) Check() error {
	if !mc.enter("Check") {
		return mc.failed("Check", 0, 0, ErrClosed)
	}
	err := mc.check()
	mc.leave()
	return err
}

func (mc *Context) check() error {
	seen := census{live: make([]uint, bins.Classes), held: make([]uint, bins.Classes)}
	for i := range mc.segments.sorted {
		if err := mc.checkSegment(i, &seen); err != nil {
			return err
		}
	}
	if r := reachOf(mc.segments.sorted); r != mc.segments.reach {
		return fmt.Errorf("invariant 14: the short ways reach %d blocks from %#x on, and should %d from %#x",
			mc.segments.blocks, -mc.segments.shift, r.blocks, -r.shift)
	}
	for _, s := range mc.refused() {
		seen.footprint += s.Size
	}
	return errors.Join(mc.checkLists(), mc.checkTotals(&seen), mc.checkMaps(&seen))
}

// census is what Check counts on its way through the chunks.
type census struct {
	footprint          int
	shared             bool   // the segment
	live, held         []uint // plain chunks, by class
	large              uint
	largeBytes         uintptr
	smallFree, treeful int
	freeBytes, idle    uintptr
	delayed            uint
	delayedBytes       uintptr
}

// checkSegment walks the chunks of one segment (invariants 1 to 5, 9 to 12).
func (mc *Context) checkSegment(i int, seen *census) error {
	r := &mc.segments.sorted[i]
	seen.footprint += r.Size
	seen.shared = r.shared
	if i > 0 {
		if before := &mc.segments.sorted[i-1]; before.base()+raw.Addr(before.Size) > r.base() {
			return fmt.Errorf("invariant 1: segments at %#x and %#x overlap or are out of order", before.base(), r.base())
		}
	}
	end, hasTop := r.end, r.end == mc.top.limit
	if hasTop {
		end = mc.top.at
		if t := &mc.top; t.at < r.first || t.opened < t.at || t.limit < t.opened || t.untouched < t.at {
			return fmt.Errorf("invariant 12: top %#x, opened to %#x, limit %#x, untouched from %#x in the segment of %#x", t.at, t.opened, t.limit, t.untouched, r.first)
		}
	}
	before := chunk.Make(0, chunk.InUse)
	for c := r.first; c < end; {
		head := chunk.Read(c, mc.tag)
		if head >= chunk.Limit || !chunk.Plausible(head.Size()) || head.Size() > uintptr(end-c) {
			return mc.neighbourhood(2, "a chunk's size is impossible", c, head, before)
		}
		if err := mc.checkChunk(c, head, before, seen); err != nil {
			return err
		}
		before = head
		c += raw.Addr(head.Size())
	}
	if hasTop {
		if before.State() == chunk.Free {
			return mc.neighbourhood(4, "a free chunk lies before the top", end, 0, before)
		}
		return nil
	}
	fence := chunk.Read(end, mc.tag)
	if !fence.IsFence() || fence.Span() != r.span() || fence.PrevInUse() != (before.State() != chunk.Free) {
		return mc.neighbourhood(11, "the fence is wrong", end, fence, before)
	}
	if before.State() == chunk.Free && before.Size() == r.span() {
		seen.idle += r.span()
	}
	return nil
}

// checkChunk checks one chunk against the one before and counts it.
func (mc *Context) checkChunk(c raw.Addr, head, before chunk.Head, seen *census) error {
	size := head.Size()
	if head.PrevInUse() != (before.State() != chunk.Free) {
		return mc.neighbourhood(3, "flag P does not tell the state of the chunk before", c, head, before)
	}
	switch head.State() {
	case chunk.Free:
		if before.State() == chunk.Free {
			return mc.neighbourhood(4, "two free chunks are neighbours", c, head, before)
		}
		if foot := chunk.Foot(c + raw.Addr(size)); foot != size {
			return mc.neighbourhood(5, fmt.Sprintf("the foot tells %d bytes", foot), c, head, before)
		}
		seen.free(size)
	case chunk.Trailed:
		if !mc.isLive(c, head) {
			seen.waits(size)
			return nil
		}
		seen.large++
		seen.largeBytes += size
		b := chunk.Block(c) + mc.front()
		if f := mc.guardFault(b, c, size); f != nil {
			f.Op, f.Addr, f.Context = "Check", uintptr(b), mc.Name()
			return f
		}
	default:
		return mc.checkPlain(c, head, before, seen)
	}
	return nil
}

// checkPlain checks a chunk in use or cached that has no trailer.
func (mc *Context) checkPlain(c raw.Addr, head, before chunk.Head, seen *census) error {
	size, cached := head.Size(), head.State() == chunk.Cached
	if size > bins.MaxChunk {
		if cached {
			return mc.neighbourhood(6, "a chunk without a class is cached", c, head, before)
		}
		if !mc.isLive(c, head) {
			seen.waits(size)
			return nil
		}
		seen.large++
		seen.largeBytes += size
		return nil
	}
	if !bins.IsClass(size) {
		return mc.neighbourhood(9, "a chunk in use has no class's size", c, head, before)
	}
	if !seen.shared {
		return mc.neighbourhood(14, "a chunk of a class lies in a segment that is not shared", c, head, before)
	}
	if chunk.HasClasses {
		noted, class := chunk.Class(chunk.Block(c)), bins.ForChunk(size)
		if cached && noted != class|chunk.CachedMark || !cached && noted != class && noted != 0 {
			return mc.neighbourhood(9, fmt.Sprintf("the head notes class %#x, not %#x", noted, class), c, head, before)
		}
	}
	seen.held[bins.ForChunk(size)]++
	if !cached {
		seen.live[bins.ForChunk(size)]++
	}
	return nil
}

// waits counts a chunk that was freed and is in use for the heap.
func (seen *census) waits(size uintptr) {
	seen.delayed++
	seen.delayedBytes += size
}

func (seen *census) free(size uintptr) {
	seen.freeBytes += size
	if size <= bins.MaxSmall {
		seen.smallFree++
	} else {
		seen.treeful++
	}
}

// checkLists walks quick lists, small bins and tree and compares each member
// with its head (invariants 6 to 8).
func (mc *Context) checkLists() error {
	if err := mc.quick.Check(mc.visitAs(6, "quick list", chunk.Cached)); err != nil {
		return err
	}
	inBin := mc.visitAs(7, "small bin", chunk.Free)
	if err := mc.small.Check(inBin); err != nil {
		return err
	}
	inMemory := func(node raw.Addr) bool { return mc.mayHold(node, tree.NodeSize) }
	if err := mc.tree.CheckWhere(inMemory); err != nil {
		return fmt.Errorf("invariant 8: %w", err)
	}
	inTree := mc.visitAs(8, "tree", chunk.Free)
	for b, size := range mc.tree.All() {
		if err := inTree(b, size); err != nil {
			return err
		}
	}
	return nil
}

// visitAs returns a function that requires a block's chunk to be in one of the
// segments, with the given state and size.
func (mc *Context) visitAs(invariant int, where string, state chunk.Head) func(raw.Addr, uintptr) error {
	return func(b raw.Addr, size uintptr) error {
		if !mc.mayHold(b, chunk.Min-chunk.Header) {
			return fmt.Errorf("invariant %d: the %s holds %#x, where no chunk can be", invariant, where, b)
		}
		head := chunk.Read(chunk.OfBlock(b), mc.tag)
		if head.State() != state || head.Size() != size {
			return fmt.Errorf("invariant %d: the %s holds %#x for %d bytes, whose head is %v", invariant, where, b, size, head)
		}
		return nil
	}
}

// mayHold reports whether a block of n bytes can begin at b, which may be any number:
// it is aligned, and lies where a segment is divided into chunks.
func (mc *Context) mayHold(b raw.Addr, n uintptr) bool {
	r := mc.segments.find(b)
	if r == nil || b%chunk.Align != 0 || chunk.OfBlock(b) < r.first {
		return false
	}
	end := mc.endOf(r)
	return b <= end && n <= uintptr(end-b)
}

// endOf returns where the chunks of the segment end: at the fence, or at the top.
func (mc *Context) endOf(r *record) raw.Addr {
	if r.end == mc.top.limit {
		return mc.top.at
	}
	return r.end
}

// checkTotals compares what was counted with what the context keeps.
func (mc *Context) checkTotals(seen *census) error {
	for class := uint8(bins.First); class < bins.Classes; class++ {
		l := mc.quick.Of(class)
		if seen.live[class] != l.Live() || seen.held[class] != l.Held {
			return fmt.Errorf("invariant 9: %d of %d chunks of %d bytes are live, counted were %d of %d",
				seen.live[class], seen.held[class], bins.SizeOf(class), l.Live(), l.Held)
		}
	}
	switch {
	case seen.footprint != mc.Footprint():
		return fmt.Errorf("invariant 1: segments are %d bytes, the footprint is %d", seen.footprint, mc.Footprint())
	case seen.large != mc.large.allocs-mc.large.frees || seen.largeBytes != mc.largeBytes:
		return fmt.Errorf("invariant 10: %d large blocks of %d bytes, counted were %d of %d",
			seen.large, seen.largeBytes, mc.large.allocs-mc.large.frees, mc.largeBytes)
	case seen.smallFree != mc.small.Count() || seen.treeful != mc.tree.Count():
		return fmt.Errorf("invariant 4: %d and %d free chunks, in bins and tree are %d and %d",
			seen.smallFree, seen.treeful, mc.small.Count(), mc.tree.Count())
	case seen.freeBytes != mc.small.Bytes()+mc.tree.Bytes():
		return fmt.Errorf("invariant 4: %d bytes free, in bins and tree are %d", seen.freeBytes, mc.small.Bytes()+mc.tree.Bytes())
	case seen.idle != mc.idle:
		return fmt.Errorf("invariant 11: %d bytes of empty segments, counted were %d", seen.idle, mc.idle)
	}
	return nil
}

// checkMaps compares what Checked keeps beside the heap with the heap.
func (mc *Context) checkMaps(seen *census) error {
	bytes, waiting := mc.quarantinedSize()
	live := seen.large
	if mc.mode&checked != 0 {
		l := &mc.watch.line
		live, bytes, waiting = mc.watch.blocks.count(), bytes+l.bytes, waiting+l.waiting()
	}
	if live != seen.large || waiting != seen.delayed || bytes != seen.delayedBytes {
		return fmt.Errorf("invariant 13: %d blocks are mapped and %d of %d bytes wait, found were %d and %d of %d",
			live, waiting, bytes, seen.large, seen.delayed, seen.delayedBytes)
	}
	if f := mc.waitingFault(); f != nil {
		f.Op, f.Context = "Check", mc.Name()
		return f
	}
	return nil
}

// waitingFault returns what is wrong with the first block that was written to while
// it waits in the line of freed ones or in quarantine, or nil.
func (mc *Context) waitingFault() *diag.Fault {
	if mc.mode&checked != 0 {
		if f := mc.checkDelayed(); f != nil {
			return f
		}
	}
	return mc.staleWrite()
}

// neighbourhood describes a chunk found wrong and what lies around it.
func (mc *Context) neighbourhood(invariant int, what string, c raw.Addr, head, before chunk.Head) error {
	return fmt.Errorf("invariant %d: %s: chunk %#x is %v, the one before it %v (context %q, top at %#x)",
		invariant, what, c, head, before, mc.Name(), mc.top.at)
}

// checkAllGuards raises a fault for the first live block with a broken guard, or
// freed one that was written to. It does so once: the call after the fault checks
// nothing.
func (mc *Context) checkAllGuards(op string) {
	watched := mc.mode&(guard|checked) != 0
	if mc.mode&reported != 0 || !watched && mc.quarantine() == nil {
		return
	}
	mc.mode |= reported
	if watched {
		mc.walk(func(c raw.Addr, head chunk.Head) bool {
			if head.State() == chunk.Trailed && mc.isLive(c, head) {
				mc.checkGuards(op, chunk.Block(c)+mc.front(), c, head.Size())
			}
			return true
		})
	}
	if f := mc.waitingFault(); f != nil {
		f.Op = op
		mc.fault(*f)
	}
	mc.mode &^= reported
}

// walk calls visit for each chunk until it returns false.
func (mc *Context) walk(visit func(c raw.Addr, head chunk.Head) bool) {
	for _, r := range mc.segments.sorted {
		end := mc.endOf(&r)
		for c := r.first; c < end; {
			head := chunk.Read(c, mc.tag)
			if !chunk.Plausible(head.Size()) || head >= chunk.Limit || head.Size() > uintptr(end-c) {
				mc.fault(diag.Fault{Kind: diag.Corrupt, Op: mc.op, Addr: uintptr(chunk.Block(c)),
					Hint: "a chunk's head was overwritten; Check tells more"})
			}
			if !visit(c, head) {
				return
			}
			c += raw.Addr(head.Size())
		}
	}
}
