package memctx

import (
	"errors"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

const (
	firstSegment = 16 << 10 // a context that holds little costs little
	leastSegment = 64 << 10 // every further segment
	growthShare  = 12       // a new segment is this part of the footprint
	aloneShare   = 16       // a block of this part of it has a segment of its own
)

// addSegment acquires a segment for size bytes. The larger one of its rest and
// the present top's is the top afterwards.
func (mc *Context) addSegment(size uintptr) error {
	need := size + segmentOverhead
	footprint := uintptr(mc.Footprint())
	alone, share := max(footprint/aloneShare, leastSegment), max(footprint/growthShare, leastSegment)
	if len(mc.segments.sorted) == 0 {
		alone, share = firstSegment, firstSegment
	}
	if need >= alone {
		share = need
	}
	s, err := mc.acquire(need, share)
	if err != nil {
		return err
	}
	r := newRecord(s)
	// A segment made to measure for one large block is not opened for others,
	// or something small would keep it when the block is long gone.
	if need >= alone || r.span()-size < mc.top.rest() {
		return mc.addFree(r)
	}
	return mc.addTop(r, max(size, leastStep))
}

// addTop adds a segment as the top and opens the given part of it. If that
// cannot be committed the segment goes back.
func (mc *Context) addTop(r record, open uintptr) error {
	open = min(open, r.span())
	if err := mc.commitIn(r.Segment, r.first, open); err != nil {
		mc.giveBack(r.Segment)
		return err
	}
	mc.retireTop()
	r.shared = true
	mc.segments.add(r)
	mc.top = top{at: r.first, opened: r.first + raw.Addr(open), limit: r.end, untouched: r.end}
	if r.Zeroed {
		mc.top.untouched = r.first
	}
	return nil
}

// addFree adds a segment as one free chunk. If it cannot be committed it goes
// back.
func (mc *Context) addFree(r record) error {
	if err := mc.commitIn(r.Segment, r.first, r.span()); err != nil {
		mc.giveBack(r.Segment)
		return err
	}
	mc.segments.add(r)
	mc.insertWhole(r)
	if r.Zeroed {
		mc.fresh = r.first
	}
	return nil
}

// insertWhole makes a segment one free chunk and writes its fence.
func (mc *Context) insertWhole(r record) {
	mc.insert(r.first, r.span())
	chunk.Write(r.end, mc.tag, chunk.MakeFence(r.span()))
	mc.idle += r.span()
}

// acquire gets a segment of need to want bytes from the provider, never beyond
// the limit: growth is clamped to what is left of it, and what the provider
// really returned counts. One that gives more than is wanted, like a fixed
// buffer, is asked for exactly that if it is too much, and then, like one that
// has not as much, for the minimum.
func (mc *Context) acquire(need, want uintptr) (segment.Segment, error) {
	left := mc.Limit() - mc.Footprint()
	if left < 0 || uintptr(left) < need {
		return segment.Segment{}, ErrLimit
	}
	want = min(want, uintptr(left))
	s, err := mc.acquireWithin(need, want)
	if want > need && errors.Is(err, ErrLimit) {
		s, err = mc.acquireWithin(want, want)
	}
	if want > need && err != nil {
		s, err = mc.acquireWithin(need, need)
	}
	return s, err
}

// acquireWithin is acquire for one size. A segment that turns out too large for
// the limit, or too small for the need, is given back before it counts.
func (mc *Context) acquireWithin(need, want uintptr) (segment.Segment, error) {
	s, err := mc.provider.Acquire(int(need), int(want))
	if err != nil {
		return segment.Segment{}, err
	}
	switch {
	case s.Size > mc.Limit()-mc.Footprint():
		err = ErrLimit
	case uintptr(s.Size) < need:
		err = ErrNoMemory
	default:
		mc.addFootprint(s.Size)
		return s, nil
	}
	if mc.provider.Release(s) != nil {
		mc.refuse(s)
		mc.addFootprint(s.Size)
	}
	return segment.Segment{}, err
}

// giveBack releases a segment that is not in use for chunks. If the provider
// refuses, the segment is remembered and tried again with each release.
func (mc *Context) giveBack(s segment.Segment) error {
	err := mc.provider.Release(s)
	if err != nil {
		mc.refuse(s)
		return err
	}
	mc.addFootprint(-s.Size)
	return nil
}

// commit makes n bytes at a of the top's segment usable, and a fence behind.
func (mc *Context) commit(a raw.Addr, n uintptr) error {
	if !mc.commits {
		return nil
	}
	return mc.commitIn(mc.segments.find(a).Segment, a, n)
}

// commitIn makes n bytes at a of the segment usable, and a fence behind.
func (mc *Context) commitIn(s segment.Segment, a raw.Addr, n uintptr) error {
	if !mc.commits || n == 0 {
		return nil
	}
	return segment.Commit(mc.provider, s, int(a-raw.AddrOf(s.Base)), int(n+chunk.Header))
}
