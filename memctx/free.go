package memctx

import (
	"math/bits"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// Free gives the block at p back to the context, which must be the one that
// returned p. A nil p is allowed and does nothing.
//
// Freeing a block twice, a pointer that is not the start of a block, one of
// another context, or anything after Close panics with a [*diag.Fault]; the
// heap is intact then. A double free is seen until the memory has been handed
// out again, also if it has gone back to the system: only in a gap that such memory
// has left between other segments for small blocks it is read, which ends the process
// unless the context is Checked. On 32-bit systems a foreign pointer may go unnoticed.
//
//go:nosplit
func (mc *Context) Free(p unsafe.Pointer) {
	// The number is that of reach: see Alloc for why it is spelled out.
	if b := raw.AddrOf(p); chunk.HasClasses && bits.RotateLeft(mc.short.shift+uint(b), -chunk.AlignShift) < mc.short.blocks {
		// A block that is not live, or not of a class, has none here, or one whose list is
		// never free.
		if class := raw.Load8At(p, -chunk.ClassBefore); class < bins.Classes && raw.Load16At(p, -chunk.TagBefore) == mc.tagTop {
			if l := mc.quick.Of(class); l.Head != bins.Busy {
				next := l.Head
				l.Head = bins.Busy
				raw.Link(p, uintptr(next), -chunk.ClassBefore, class|chunk.CachedMark)
				l.Head = b
				l.Frees++
				return
			}
		}
	} else if !chunk.HasClasses && mc.freeNarrow(raw.AddrOf(p)) {
		return
	}
	mc.freeChecked("Free", raw.AddrOf(p))
}

// freeChecked is Free for every block and every mode.
func (mc *Context) freeChecked(op string, b raw.Addr) {
	if b == 0 {
		return
	}
	mc.enterUser(op, b)
	c, head := mc.lookUp(op, b)
	mc.freeLive(op, b, c, head)
}

// freeLive takes back the live block b of chunk c and ends the call.
func (mc *Context) freeLive(op string, b, c raw.Addr, head chunk.Head) {
	if mc.mode&observed != 0 {
		mc.mayFree(op, b, c, head) // first, for it may find a fault
		mc.noteFree(op, c, head)
	}
	mc.free(op, b, c, head)
	mc.leave()
}

// enterUser begins a call that cannot fail: on a closed context it is a fault.
func (mc *Context) enterUser(op string, b raw.Addr) {
	if !mc.enter(op) {
		mc.fault(diag.Fault{Kind: diag.AfterClose, Op: op, Addr: uintptr(b),
			Hint: "the memory went back with Close"})
	}
}

// mayFree raises whatever fault free would raise.
func (mc *Context) mayFree(op string, b, c raw.Addr, head chunk.Head) {
	size := head.Size()
	if head.State() == chunk.Trailed {
		mc.checkGuards(op, b, c, size)
	} else if size <= bins.MaxChunk {
		mc.list(op, bins.ForChunk(size))
		return
	}
	mc.mustJoin(op, b, c, head)
	if mc.mode&checked != 0 {
		mc.makeRoom(op, 1, size)
	}
}

// free takes back the live block b of chunk c. The call has been entered.
func (mc *Context) free(op string, b, c raw.Addr, head chunk.Head) {
	size := head.Size()
	if head.State() == chunk.Trailed {
		mc.checkGuards(op, b, c, size)
	} else if size <= bins.MaxChunk {
		class := bins.ForChunk(size)
		l := mc.list(op, class)
		chunk.SetCached(b, class)
		l.Push(b)
		l.Frees++
		return
	}
	mc.mustJoin(op, b, c, head)
	if mc.mode&checked != 0 {
		mc.makeRoom(op, 1, size)
	}
	mc.large.frees++
	mc.largeBytes -= size
	if mc.mode&checked != 0 {
		mc.delay(op, b, c, size)
		return
	}
	mc.coalesce(c, head)
}

// lookUp returns the chunk of the live block b and its head. Anything but a
// live block of this context is a fault.
func (mc *Context) lookUp(op string, b raw.Addr) (raw.Addr, chunk.Head) {
	if mc.mode&checked != 0 {
		return mc.lookUpLive(op, b)
	}
	if b%chunk.Align != 0 {
		mc.fault(diag.Fault{Kind: diag.Misaligned, Op: op, Addr: uintptr(b),
			Hint: "no allocation returns such an address"})
	}
	if b == 0 { // before it is no memory
		mc.fault(diag.Fault{Kind: diag.Foreign, Op: op, Hint: "nil is no block"})
	}
	c := chunk.OfBlock(b - mc.front())
	r := mc.segments.find(c)
	switch {
	case r == nil:
		mc.faultElsewhere(op, b)
	case c < r.first || c >= mc.endOf(r): // not even committed, maybe
		mc.faultTag(op, b, r)
	}
	head := chunk.Read(c, mc.tag)
	// Without tags, on 32-bit systems, only the records tell whose it is.
	if head >= chunk.Limit || raw.Word == 4 && !r.has(c, head.Size()) {
		mc.faultTag(op, b, r)
	}
	if state := head.State(); state == chunk.Cached || state == chunk.Free && mc.freed(c, head.Size()) {
		mc.fault(diag.Fault{Kind: diag.DoubleFree, Op: op, Addr: uintptr(b),
			Hint: "the block was freed before and has not been handed out again"})
	}
	if mc.quarantine().holds(c) {
		mc.fault(diag.Fault{Kind: diag.DoubleFree, Op: op, Addr: uintptr(b),
			Hint: "the block was a segment of a context, which has given it back"})
	}
	if head.State() == chunk.Free || !mc.plausibleIn(r, c, head.Size()) {
		mc.fault(diag.Fault{Kind: diag.Corrupt, Op: op, Addr: uintptr(b),
			Hint: "the head before the block, or the one behind it, was overwritten"})
	}
	return c, head
}

// freed reports whether the head of size bytes at c is a tombstone or that of a
// free chunk, whose foot tells the same size.
func (mc *Context) freed(c raw.Addr, size uintptr) bool {
	return size == 0 || mc.within(c, size) && chunk.Foot(c+raw.Addr(size)) == size
}

// plausible reports whether the chunk c in use can have the given size: it ends
// in its segment, and the one behind it knows that it is in use. A write past the
// end of the block before changes the size and spares the tag.
func (mc *Context) plausible(c raw.Addr, size uintptr) bool {
	r := mc.segments.find(c)
	return r != nil && mc.plausibleIn(r, c, size)
}

// plausibleIn is plausible for a chunk in the segment r.
func (mc *Context) plausibleIn(r *record, c raw.Addr, size uintptr) bool {
	if !chunk.Plausible(size) || !r.has(c, size) {
		return false
	}
	behind := c + raw.Addr(size)
	return behind == mc.top.at || chunk.Read(behind, mc.tag).PrevInUse()
}

// mustJoin raises a fault if the chunk c in use cannot be joined with its neighbours.
func (mc *Context) mustJoin(op string, b, c raw.Addr, head chunk.Head) {
	if !mc.canJoin(c, head) {
		mc.fault(diag.Fault{Kind: diag.Corrupt, Op: op, Addr: uintptr(b),
			Hint: "the head behind the block, or free memory beside it, was overwritten"})
	}
}

// canJoin reports whether the neighbours of the chunk c in use are what coalesce will
// take them for: of one that is free, head and foot tell the same.
func (mc *Context) canJoin(c raw.Addr, head chunk.Head) bool {
	if !head.PrevInUse() {
		size := chunk.Foot(c)
		before := c - raw.Addr(size)
		if !mc.isFree(before, size) {
			return false
		}
	}
	behind := c + raw.Addr(head.Size())
	if behind == mc.top.at {
		return true
	}
	next := chunk.Read(behind, mc.tag)
	switch {
	case next.State() == chunk.Free:
		return mc.isFree(behind, next.Size())
	case next.IsFence():
		return mc.segments.find(c).end == behind
	}
	return mc.within(behind, next.Size())
}

// isFree reports whether at c, which may be any number, is a free chunk of size bytes.
func (mc *Context) isFree(c raw.Addr, size uintptr) bool {
	if !chunk.Plausible(size) || !mc.within(c, size) {
		return false
	}
	head := chunk.Read(c, mc.tag)
	return head.State() == chunk.Free && head.Size() == size && chunk.Foot(c+raw.Addr(size)) == size
}

// within reports whether a chunk of size bytes at c lies in one of the segments.
func (mc *Context) within(c raw.Addr, size uintptr) bool {
	r := mc.segments.find(c)
	return r != nil && r.has(c, size)
}

// faultElsewhere reports a block in none of the segments. What is there, if anything,
// is not read.
func (mc *Context) faultElsewhere(op string, b raw.Addr) {
	if mc.hadSegment(b) {
		mc.fault(diag.Fault{Kind: diag.DoubleFree, Op: op, Addr: uintptr(b),
			Hint: "the block was freed before, or moved, or dropped by Reset, and its segment has gone back to the provider"})
	}
	mc.fault(diag.Fault{Kind: diag.Foreign, Op: op, Addr: uintptr(b),
		Hint: "it belongs to another context, or to no context at all"})
}

// faultTag reports a block in the segment r before which there is no head of this
// context.
func (mc *Context) faultTag(op string, b raw.Addr, r *record) {
	if mc.inFree(r, b) {
		mc.fault(diag.Fault{Kind: diag.DoubleFree, Op: op, Addr: uintptr(b),
			Hint: "the memory there is free"})
	}
	mc.fault(diag.Fault{Kind: diag.Corrupt, Op: op, Addr: uintptr(b),
		Hint: "the address lies in this context, but no block begins there or its head was overwritten"})
}

// inFree reports whether a lies in a free chunk of the segment or in the top.
// The links of a free chunk may overwrite the tombstone of a block that was
// joined with a small one before it; then only a walk tells.
func (mc *Context) inFree(r *record, a raw.Addr) bool {
	end := mc.endOf(r)
	for c := r.first; c < end; {
		head := chunk.Read(c, mc.tag)
		size := head.Size()
		if head >= chunk.Limit || !chunk.Plausible(size) || size > uintptr(end-c) {
			return false
		}
		if a-c < raw.Addr(size) {
			return head.State() == chunk.Free && mc.freed(c, size)
		}
		c += raw.Addr(size)
	}
	return a >= end && a < r.end
}

// coalesce makes the chunk c, which counted as in use so far, free: it is
// joined with free neighbours or the top and put where its size belongs. Every
// head that disappears leaves a tombstone.
func (mc *Context) coalesce(c raw.Addr, head chunk.Head) {
	size := head.Size()
	if !head.PrevInUse() {
		before := chunk.Foot(c)
		chunk.Bury(c, mc.tag)
		c -= raw.Addr(before)
		mc.remove(c, before)
		size += before
	}
	behind := c + raw.Addr(size)
	if behind == mc.top.at {
		chunk.Bury(c, mc.tag)
		mc.top.at = c
		return
	}
	next := chunk.Read(behind, mc.tag)
	if next.State() == chunk.Free {
		chunk.Bury(behind, mc.tag)
		mc.remove(behind, next.Size())
		size += next.Size()
		behind += raw.Addr(next.Size())
		next = chunk.Read(behind, mc.tag)
	} else {
		chunk.SetPrevFree(behind)
	}
	if next.IsFence() && next.Span() == size && mc.emptied(c, size) {
		return
	}
	mc.insert(c, size)
}

// emptied decides over a segment whose chunks are all free: it stays as a free
// chunk while the context may retain it, else it goes back to the provider. It
// reports whether the segment is gone.
func (mc *Context) emptied(c raw.Addr, size uintptr) (gone bool) {
	if most := mc.retainable(size); mc.idle+size > most {
		r := mc.segments.find(c)
		chunk.Bury(c, mc.tag)
		if mc.release(*r) == nil {
			mc.segments.remove(c)
			mc.releaseIdle(most)
			return true
		}
	}
	mc.idle += size
	return false
}

// retainable returns how many bytes of idle segments the context may keep when
// one of size bytes has just become idle: three quarters of what is in use, if
// that is more than was asked for. Large blocks that come and go then do not come
// from the provider each time, and what is idle shrinks with what is in use.
func (mc *Context) retainable(size uintptr) uintptr {
	inUse := uintptr(mc.Footprint()) - mc.small.Bytes() - mc.tree.Bytes() - mc.top.rest() - size
	return max(mc.retain, inUse/4*3)
}
