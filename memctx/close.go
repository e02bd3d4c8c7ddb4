package memctx

import (
	"errors"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// discardFrom is the size from which free memory is worth a system call.
const discardFrom = 64 << 10

// Close gives all memory back to the provider, blocks that are still live
// included. It must not be used while a block is. The work grows with the
// number of segments, not of blocks, except under Guard, where every live block
// is checked first. The first Close or Reset that finds a broken guard panics
// with a [*diag.Fault], and the context is open and as it was: the block can be
// looked at. The next one checks nothing and gives everything back.
//
// If the provider refuses a segment, Close returns an error, keeps the segment
// and tries again when it is called again; it returns nil once everything has
// been given back. Whatever it returns, the context serves no more allocations.
//
// What was registered with [Context.OnClose] is called first, then all children
// are closed, and their errors are among those returned.
func (mc *Context) Close() error {
	below := mc.closeBelow("Close")
	news := mc.Footprint() > 0
	if mc.enter("Close") {
		news = true
		mc.checkAllGuards("Close")
		mc.noteLeaks()
		mc.setMode(mc.mode | closed)
		mc.forget()
	}
	err := mc.releaseAll(func(*record) bool { return true })
	if err == nil && news {
		mc.noteDone(diag.EventClose, "Close")
	}
	mc.leave()
	if err = errors.Join(below, err); err != nil {
		return mc.failed("Close", 0, 0, err)
	}
	mc.leaveParent()
	return nil
}

// Reset drops all blocks at once, as if each had been freed. Segments of up to
// Options.Retain bytes altogether are kept for the next use, the others go back
// to the provider. Its cost is that of Close, and so is what it does under Guard.
//
// If the provider refuses a segment, Reset returns an error and the context
// keeps the segment for its own use; in any case all blocks are gone.
//
// What was registered with [Context.OnReset] is called first, then all children
// are reset and keep no memory. If one of them cannot give back its own, Reset
// returns the error, and the blocks of this context are as they were.
func (mc *Context) Reset() error { return mc.reset(mc.retain) }

// reset is Reset with up to retain bytes kept.
func (mc *Context) reset(retain uintptr) error {
	if err := mc.resetBelow(); err != nil {
		return mc.failed("Reset", 0, 0, err)
	}
	return mc.resetAlone(retain)
}

// resetAlone is reset when that is done with what is below.
func (mc *Context) resetAlone(retain uintptr) error {
	if !mc.enter("Reset") {
		return mc.failed("Reset", 0, 0, ErrClosed)
	}
	mc.checkAllGuards("Reset")
	mc.mode &^= reported
	mc.forget()
	kept := uintptr(0)
	err := mc.releaseAll(func(r *record) bool {
		if kept+uintptr(r.Size) > retain {
			return true
		}
		kept += uintptr(r.Size)
		return false
	})
	err = errors.Join(err, mc.commitKept())
	mc.restart()
	mc.noteDone(diag.EventReset, "Reset")
	mc.leave()
	if err != nil {
		return mc.failed("Reset", 0, 0, err)
	}
	return nil
}

// Trim gives back to the provider what the context does not need: cached chunks
// are coalesced, empty segments released, the unused ends of others cut off where
// the provider can shrink a segment in place, and the pages inside large free
// chunks discarded. If the provider is a cache, its idle memory is given back to
// the system too. Live blocks are not touched. Trim returns an error if a provider
// refused something; that stays with the context, or the cache, until the next
// time. A stale write to memory of a closed context that stood on this one, see
// [Context.Provider], is a fault once that is done.
func (mc *Context) Trim() error {
	return mc.trim(true)
}

// trim is Trim, or the part of it that has nothing to do with stale writes.
func (mc *Context) trim(raise bool) error {
	if !mc.enter("Trim") {
		return mc.failed("Trim", 0, 0, ErrClosed)
	}
	mc.flushAll()
	mc.endQuarantine()
	_, err := mc.releaseEmpty()
	err = errors.Join(err, mc.retryRefused(), mc.shrinkTails(), mc.discardFree(), segment.Drain(mc.provider))
	if raise {
		mc.raiseStale("Trim")
	}
	mc.leave()
	if err != nil {
		return mc.failed("Trim", 0, 0, err)
	}
	return nil
}

// forget drops every chunk without touching one. What remains are segments.
func (mc *Context) forget() {
	mc.quick.Forget()
	mc.small.Clear()
	mc.tree.Clear()
	mc.top = top{}
	mc.large.frees = mc.large.allocs
	mc.largeBytes, mc.idle = 0, 0
	if mc.mode&checked != 0 {
		mc.watch.forget()
	}
	mc.quarantine().forget()
	mc.segments.shareNone()
}

// releaseAll gives back every segment for which choose is true, and what was
// refused before. It returns the errors of those that were refused.
func (mc *Context) releaseAll(choose func(*record) bool) error {
	err := mc.retryRefused()
	p := parcels.Get().(*parcel)
	defer parcels.Put(p)
	records, kept := mc.segments.sorted, 0
	for rest := records; len(rest) > 0; {
		group := rest[:min(len(rest), parcelSize)]
		rest = rest[len(group):]
		err = errors.Join(err, mc.releaseGroup(p, group, choose))
		for i := range group {
			if p.stays[i] {
				records[kept] = group[i]
				kept++
			}
		}
	}
	clear(records[kept:])
	mc.segments.sorted = records[:kept]
	return err
}

// commitKept makes the segments that a Reset kept usable to their end, which
// the last top may not have been. Those that cannot be are given back.
func (mc *Context) commitKept() (err error) {
	if !mc.commits {
		return nil
	}
	mc.segments.keep(func(r record) bool {
		r = newRecord(r.Segment)
		refused := mc.commitIn(r.Segment, r.first, r.span())
		if refused != nil {
			err = errors.Join(err, refused, mc.giveBack(r.Segment))
		}
		return refused == nil
	})
	return err
}

// restart puts the segments that a Reset kept to their next use: the largest as
// the top, the others as free chunks.
func (mc *Context) restart() {
	records := mc.segments.sorted
	largest := 0
	for i := range records {
		if records[i].span() > records[largest].span() {
			largest = i
		}
	}
	for i := range records {
		r := newRecord(records[i].Segment)
		r.Zeroed = false
		r.shared = i == largest
		records[i] = r
		if i == largest {
			mc.top = top{at: r.first, opened: r.first, limit: r.end, untouched: r.end}
		} else {
			mc.insertWhole(r)
		}
	}
	mc.segments.setReach()
}

// releaseEmpty gives back the segments that hold no live and no cached chunk,
// and returns how many bytes they were and the errors of those refused, which
// stay as they are.
func (mc *Context) releaseEmpty() (saved int, err error) {
	if !mc.hasEmpty() { // a cache at its limit asks this with every entry
		return 0, nil
	}
	before := mc.Footprint()
	mc.segments.keep(func(r record) bool {
		if !mc.vacate(r) {
			return true
		}
		refused := mc.release(r)
		if refused != nil {
			err = errors.Join(err, refused)
			mc.occupy(r)
		}
		return refused != nil
	})
	return before - mc.Footprint(), err
}

// releaseIdle gives back segments that are one free chunk until at most the given
// number of bytes is in such. Those that the provider refuses stay.
func (mc *Context) releaseIdle(most uintptr) {
	if mc.idle <= most {
		return
	}
	mc.segments.keep(func(r record) bool {
		if mc.idle <= most || r.end == mc.top.limit || !mc.vacate(r) {
			return true
		}
		refused := mc.release(r)
		if refused != nil {
			mc.occupy(r)
		}
		return refused != nil
	})
}

// hasEmpty reports whether a segment holds no live and no cached chunk.
func (mc *Context) hasEmpty() bool {
	if mc.idle != 0 || mc.top.limit == 0 {
		return mc.idle != 0
	}
	return mc.segments.find(mc.top.limit).first == mc.top.at
}

// vacate takes all chunks of the segment out of use, if they are all free, and
// reports whether they are. The segment with the top has no chunk then.
func (mc *Context) vacate(r record) bool {
	if r.end == mc.top.limit {
		return r.first == mc.top.at
	}
	head := chunk.Read(r.first, mc.tag)
	if head.State() != chunk.Free || head.Size() != r.span() {
		return false
	}
	mc.remove(r.first, r.span())
	mc.idle -= r.span()
	return true
}

// occupy undoes vacate.
func (mc *Context) occupy(r record) {
	if r.end != mc.top.limit {
		mc.insertWhole(r)
	}
}

// release gives the segment back and forgets the top if it was there.
func (mc *Context) release(r record) error {
	if err := mc.provider.Release(r.Segment); err != nil {
		return err
	}
	mc.addFootprint(-r.Size)
	mc.noteLeft(r.Segment)
	if r.end == mc.top.limit {
		mc.top = top{}
	}
	return nil
}

// discardFree returns the pages inside of large free chunks and of the top to
// the system.
func (mc *Context) discardFree() (err error) {
	for b, size := range mc.tree.All() {
		if size >= discardFrom {
			from := b + tree.NodeSize
			err = errors.Join(err, mc.discard(from, uintptr(chunk.OfBlock(b)+raw.Addr(size)-raw.Word-from)))
		}
	}
	// What was never touched has no pages, and must stay zero: discarded memory
	// is undefined.
	t := &mc.top
	if used := uintptr(min(t.opened, t.untouched) - t.at); used >= discardFrom {
		err = errors.Join(err, mc.discard(t.at, used))
	}
	return err
}

// discard returns the pages of n bytes at a to the system, if the provider can.
func (mc *Context) discard(a raw.Addr, n uintptr) error {
	s := mc.segments.find(a).Segment
	err := segment.Discard(mc.provider, s, int(a-raw.AddrOf(s.Base)), int(n))
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
