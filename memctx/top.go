package memctx

import (
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// top is the unused end of the newest segment. It has no head and is in no
// tree; chunks are cut off its low end:
//
//	| chunks ... |  open   |   reserve    | fence
//	             at      opened         limit
//
// It is opened step by step, and each step is the occasion to ask whether so
// much is cached that coalescing it is better than using more memory. On
// systems where memory must be committed, it is committed by the same steps.
// The zero value is a top without memory.
type top struct {
	at     raw.Addr // the next chunk
	opened raw.Addr // end of what may be cut
	limit  raw.Addr // where the segment's fence will be

	// From untouched on, everything up to limit is zero and has never been
	// written to.
	untouched raw.Addr
}

// open returns the bytes that can be cut off at once.
func (t *top) open() uintptr { return uintptr(t.opened - t.at) }

// rest returns the bytes up to the end of the segment.
func (t *top) rest() uintptr { return uintptr(t.limit - t.at) }

// cutFresh reports whether the block b was cut off this top since it looked
// like before, from memory that is zero but for chunk heads.
func (t *top) cutFresh(b raw.Addr, before *top) bool {
	return t.limit == before.limit && b > before.untouched && b < t.limit
}

const (
	// leastStep is the smallest step by which the top is opened.
	leastStep = 64 << 10

	// A step is made resident in one go if it is at most this part of the footprint,
	// so that it wastes little should the program not go on growing, and if it is
	// opened for a chunk of at most populateFor bytes: of larger blocks a program may
	// use the beginning only, and pages inside would be resident for nothing.
	populateShare = 16
	populateFor   = 1<<10 + chunk.Align
)

// cut takes size bytes off the top, which must be open that far, as a chunk in
// use.
func (mc *Context) cut(size uintptr) raw.Addr {
	t := &mc.top
	c := t.at
	t.at += raw.Addr(size)
	t.untouched = max(t.untouched, t.at)
	chunk.Write(c, mc.tag, chunk.Make(size, chunk.P|chunk.InUse))
	return c
}

// refill makes room for size bytes: by coalescing what is cached, by opening
// the top further, or by a new segment. After it returned nil the caller looks
// again from the start.
//
// If the provider or the limit refuses, whatever the context has lying idle is
// coalesced and given back first, so that no request fails while free memory
// could have served it.
func (mc *Context) refill(size uintptr) (err error) {
	inUse, cached := mc.held()
	switch {
	case mc.flushSome(inUse, cached):
		return nil
	case mc.top.rest() >= size:
		err = mc.openFor(size, inUse/32)
	default:
		err = mc.addSegment(size)
	}
	if err == nil || mc.flushAll() > 0 || mc.endQuarantine() > 0 {
		return nil
	}
	if saved, _ := mc.releaseEmpty(); saved > 0 {
		return nil
	}
	return err
}

// openFor opens the top for size bytes, by the given step or, if so much cannot
// be committed, by what is needed.
func (mc *Context) openFor(size, step uintptr) error {
	need := size - mc.top.open()
	small := size <= populateFor
	err := mc.openTop(max(need, leastStep, step), small)
	if err != nil {
		err = mc.openTop(need, small)
	}
	return err
}

// openTop opens the top by step bytes, or as far as it goes. If it is opened for
// something small, what is opened will be written to.
func (mc *Context) openTop(step uintptr, small bool) error {
	t := &mc.top
	step = min(step&^(chunk.Align-1), uintptr(t.limit-t.opened))
	if err := mc.commit(t.opened, step); err != nil {
		return err
	}
	if small && t.opened >= t.untouched && step <= uintptr(mc.Footprint())/populateShare {
		s := mc.segments.find(t.opened).Segment
		segment.Populate(s, int(t.opened-raw.AddrOf(s.Base)), int(step))
	}
	t.opened += raw.Addr(step)
	return nil
}

// retireTop ends the newest segment: what is left of the top becomes a free
// chunk and the fence is written.
func (mc *Context) retireTop() {
	t := &mc.top
	if t.limit == 0 {
		return
	}
	if mc.commit(t.opened, uintptr(t.limit-t.opened)) != nil {
		t.limit = t.opened
	}
	r := mc.segments.find(t.at - 1)
	r.end = t.limit
	mc.endSegment(r, t.at)
	*t = top{}
}

// endSegment makes what lies between at and the end of a segment a free chunk,
// or, if it is too small, ends the segment at at. It writes the fence.
func (mc *Context) endSegment(r *record, at raw.Addr) {
	rest := uintptr(r.end - at)
	if rest < chunk.Min {
		r.end, rest = at, 0
	}
	fence := chunk.MakeFence(r.span())
	if rest == 0 {
		fence |= chunk.P
	} else {
		mc.insert(at, rest)
		if rest == r.span() {
			mc.idle += rest
		}
	}
	chunk.Write(r.end, mc.tag, fence)
}
