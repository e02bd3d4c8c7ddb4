package memctx

import (
	"errors"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// The tail of a segment is the free chunk before its fence, or what is left of
// the top. Where the provider can shrink a segment in place, a large tail goes
// back to it, and the fence moves down:
//
//	| chunks in use ... | free chunk                  | fence
//	| chunks in use ... | up to a page | fence

// shrinkTails gives back the large tails of segments that hold something else
// too. If the provider refuses one, that segment is as it was.
func (mc *Context) shrinkTails() (err error) {
	for i := range mc.segments.sorted {
		r := &mc.segments.sorted[i]
		if tail, keep := mc.largeTail(r); keep > 0 {
			err = errors.Join(err, mc.shrink(r, tail, keep))
		}
	}
	return err
}

// yieldTail gives back the tail of the segment that holds a, in which a block has just
// shrunk, if with it more is idle than the context may retain. A top stays, as it is
// to be used next, and so does what the provider does not take.
func (mc *Context) yieldTail(a raw.Addr) {
	r := mc.segments.find(a)
	tail, keep := mc.largeTail(r)
	if keep > 0 && r.end != mc.top.limit && mc.idle+uintptr(r.Size-keep) > mc.retainable(0) {
		_ = mc.shrink(r, tail, keep)
	}
}

// largeTail returns where the segment's tail begins and how many bytes are needed to
// keep what lies before it, 0 if the tail is too small to go, or all there is.
func (mc *Context) largeTail(r *record) (tail raw.Addr, keep int) {
	tail = mc.tailOf(r)
	// The fence needs no more than a head where the tail begins.
	keep = int(tail-r.base()) + chunk.Header
	if tail == r.first || r.Size-keep < discardFrom {
		return tail, 0
	}
	return tail, keep
}

// tailOf returns where the segment's tail begins, its end if it has none.
func (mc *Context) tailOf(r *record) raw.Addr {
	if r.end == mc.top.limit {
		return mc.top.at
	}
	if chunk.Read(r.end, mc.tag).PrevInUse() {
		return r.end
	}
	return r.end - raw.Addr(chunk.Foot(r.end))
}

// shrink resizes the segment to about keep bytes, which end in its tail.
func (mc *Context) shrink(r *record, tail raw.Addr, keep int) error {
	hasTop, size := r.end == mc.top.limit, uintptr(r.end-tail)
	isChunk := !hasTop && size > 0
	if isChunk { // its links may be in what goes
		mc.remove(tail, size)
	}
	s, err := segment.Resize(mc.provider, r.Segment, keep, keep, true)
	if err != nil {
		if isChunk {
			mc.insert(tail, size)
		}
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		return err
	}
	mc.addFootprint(s.Size - r.Size)
	r.Segment = s
	// Behind the old end there may be memory that was never committed.
	r.end = min(r.end, newRecord(s).end)
	if hasTop {
		mc.lowerTop(r.end)
	} else {
		mc.endSegment(r, tail)
	}
	mc.segments.setReach()
	return nil
}

// lowerTop sets the top's limit, which is not below its start.
func (mc *Context) lowerTop(limit raw.Addr) {
	t := &mc.top
	t.limit = limit
	t.opened = min(t.opened, limit)
	t.untouched = min(t.untouched, limit)
}
