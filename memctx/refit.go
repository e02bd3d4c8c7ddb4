package memctx

import (
	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// A large block that outgrows the segment made to measure for it need not be copied
// where the provider can resize segments: mremap moves entries of page tables. Beside
// the block may lie free chunks, before it what its alignment has left over, behind
// it what it gave up when it shrank:
//
//	| lead | the block's chunk | tail | fence
//	| lead | the block's chunk               | fence
//
// Some blocks are copied all the same: those in the segment of the top, whose memory
// is opened in steps; those of contexts whose segments must be committed, as a commit
// that fails behind a move could not be undone; and where a segment may grow but not
// move, see [Context.stays], those whose segment would have to.

const (
	// movedAlign is the largest alignment that a segment is expected to keep when it
	// moves, one of pages. Whether it did is looked at all the same.
	movedAlign = 4 << 10

	// largestUnit is the largest unit of which providers make sizes multiples.
	largestUnit = 64 << 10
)

// alone is a segment of whose chunks all but one, c, are free.
type alone struct {
	record
	c          raw.Addr
	lead, tail uintptr // bytes of the free chunks before and behind c
}

// findAlone returns the segment of the live chunk c, and whether c is alone in it.
func (mc *Context) findAlone(c raw.Addr, head chunk.Head) (a alone, ok bool) {
	a = alone{record: *mc.segments.find(c), c: c}
	if a.end == mc.top.limit {
		return a, false
	}
	behind := c + raw.Addr(head.Size())
	if next := chunk.Read(behind, mc.tag); behind < a.end && next.State() == chunk.Free {
		a.tail = next.Size()
	}
	if !head.PrevInUse() {
		a.lead = chunk.Foot(c)
	}
	return a, c-raw.Addr(a.lead) == a.first && behind+raw.Addr(a.tail) == a.end
}

// stays reports whether a block of that alignment may only grow where it is.
// Alignments above that of pages would be lost by most moves. And Checked has an eye
// on the place that a block has left, which must not be another's at once: a copy
// leaves it to the line of freed blocks.
func (mc *Context) stays(align uintptr) bool { return align > movedAlign || mc.mode&checked != 0 }

// refit makes the live block b of chunk c, which is too small for it, hold n bytes by
// enlarging its segment, and returns where the block is then. If the block is not
// alone there, or the limit or the provider refuse, it returns 0 and everything is as
// it was. If fixed is true the block stays where it is.
func (mc *Context) refit(b, c raw.Addr, head chunk.Head, n uintptr, fixed bool) raw.Addr {
	size := mc.sizeLike(head, n)
	if size <= max(head.Size(), bins.MaxChunk) || mc.commits {
		return 0
	}
	a, ok := mc.findAlone(c, head)
	if !ok {
		return 0
	}
	_, align := mc.extent(b, c, head)
	fixed = fixed || mc.stays(align)
	if !mc.enlarge(&a, a.needed(size, align, fixed), leastRest(size), fixed) {
		return 0
	}
	if (chunk.Block(a.c)+mc.front())&raw.Addr(align-1) != 0 {
		mc.realign(&a, head.Size(), align)
	}
	mc.segments.add(a.record)
	size = mc.settle(&a, head, size)
	b = chunk.Block(a.c) + mc.front()
	if head.State() == chunk.Trailed {
		mc.rewriteTrailer(b, a.c, size, n, align)
	}
	return b
}

// sizeLike returns the size of the chunk for n bytes of a block of the same kind as
// that with the given head.
func (mc *Context) sizeLike(head chunk.Head, n uintptr) uintptr {
	if head.State() == chunk.Trailed {
		return mc.trailedSize(n)
	}
	return plainSize(n)
}

// needed returns how large the segment must be for a chunk of size bytes. If it may
// move, it may have to be laid out anew for the block to be aligned.
func (a *alone) needed(size, align uintptr, fixed bool) uintptr {
	need := uintptr(a.c-a.base()) + size + chunk.Header
	switch {
	case fixed:
		return need
	case align > chunk.Align:
		size += align + chunk.Min
	}
	return max(need, size+segmentOverhead)
}

// enlarge lets the provider make the segment at least need bytes large, and up to room
// bytes larger. It reports whether it did; the segment's record is taken out then, and
// what was free is no chunk any more.
//
// Growth cannot be undone once a segment has moved. So the provider is only asked if
// the limit leaves room for whatever its unit makes of the need. The segment's size
// is a multiple of that.
func (mc *Context) enlarge(a *alone, need, room uintptr, fixed bool) bool {
	need = max(need, uintptr(a.Size)+1)
	unit := min(a.Size&-a.Size, largestUnit)
	rounded, ok := raw.RoundUp(need, uintptr(unit))
	left := mc.Limit() - mc.Footprint()
	if !ok || left <= 0 || rounded > uintptr(a.Size+left) {
		return false
	}
	most := min(need+room, uintptr(a.Size+left))
	mc.detach(a)
	s, err := segment.Resize(mc.provider, a.Segment, int(need), int(most), fixed)
	if err != nil {
		mc.attach(a)
		return false
	}
	if s.Size > a.Size+left { // against the contract, but it may still take it back
		if less, err := segment.Resize(mc.provider, s, int(need), a.Size+left, true); err == nil {
			s = less
		}
	}
	mc.addFootprint(s.Size - a.Size)
	mc.segments.remove(a.c)
	moved := raw.AddrOf(s.Base) - a.base()
	if moved != 0 {
		mc.noteLeft(a.Segment)
	}
	a.Segment = s
	a.first += moved
	a.c += moved
	a.end = newRecord(s).end
	return true
}

// detach takes the free chunks beside the block out of their places: when the segment
// moves, nothing may link to them.
func (mc *Context) detach(a *alone) {
	if a.lead > 0 {
		mc.remove(a.first, a.lead)
	}
	if a.tail > 0 {
		mc.remove(a.end-raw.Addr(a.tail), a.tail)
	}
}

// attach undoes detach.
func (mc *Context) attach(a *alone) {
	if a.lead > 0 {
		mc.insert(a.first, a.lead)
	}
	if a.tail > 0 {
		mc.insert(a.end-raw.Addr(a.tail), a.tail)
	}
}

// realign lays out a segment that has moved to where the block of its chunk of size
// bytes is not aligned.
func (mc *Context) realign(a *alone, size, align uintptr) {
	from := chunk.Block(a.c)
	a.first = newRecord(a.Segment).first
	a.lead = mc.leadTo(a.first, align)
	a.c = a.first + raw.Addr(a.lead)
	raw.Copy(chunk.Block(a.c), from, size-chunk.Header)
}

// settle makes the chunk, whose head was as given, at least size bytes large, with
// what is left of the segment before and behind it free. It returns the chunk's size.
func (mc *Context) settle(a *alone, head chunk.Head, size uintptr) uintptr {
	if a.tail > 0 {
		chunk.Bury(a.c+raw.Addr(head.Size()), mc.tag)
	}
	if all := uintptr(a.end - a.c); all-size < leastRest(size) {
		size = all
	}
	state := head.State() | chunk.P
	if a.lead > 0 {
		state = head.State()
		mc.insert(a.first, a.lead)
	}
	mc.recount(head, size)
	chunk.Write(a.c, mc.tag, chunk.Make(size, state))
	mc.endSegment(mc.segments.find(a.c), a.c+raw.Addr(size))
	return size
}
