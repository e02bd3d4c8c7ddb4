package memctx

import (
	"fmt"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// Segments that a checked context releases are kept inaccessible for a while. Those
// that are blocks of another context, its parent for short, cannot be: they begin
// and end within pages, and the parent's provider would meet inaccessible pages in
// segments that the parent gives back. So the parent fills them as freed and holds
// them back, and compares them before they are free memory again. A stale write is
// then found late, but it harms nobody: it lands in nobody's heap.
//
// What is held back is not live; for the heap its chunk is in use, as in the line of
// freed blocks. Unlike that one it does not count as cached when memory is about to
// grow: the next context would otherwise be given the memory of the last, always. It
// ends when it is more than the bounds, when nothing else can serve a request, and
// with Trim.
const (
	quarantinedBlocks = 256
	quarantinedBytes  = 4 << 20
)

// quarantined is a block that was a segment of another context.
type quarantined struct {
	freedBlock
	whose   string      // the context, in words
	created *diag.Stack // where it was made, nil if that is not known
}

// quarantine are the blocks that are held back, in the order in which they came.
type quarantine struct {
	waiting []quarantined
	chunks  map[raw.Addr]struct{} // theirs
	bytes   uintptr               // of those
	found   *diag.Fault           // the first stale write that was found and not raised yet
}

// holds reports whether the chunk c is held back, also of no quarantine at all.
func (q *quarantine) holds(c raw.Addr) bool {
	if q == nil {
		return false
	}
	_, held := q.chunks[c]
	return held
}

// forget drops what is held back.
func (q *quarantine) forget() {
	if q != nil {
		*q = quarantine{}
	}
}

// quarantine returns what the context holds back, nil if it never did.
func (mc *Context) quarantine() *quarantine {
	if mc.family == nil {
		return nil
	}
	return mc.family.quarantine
}

// quarantinedSize returns the bytes of chunks that are held back, and their number.
func (mc *Context) quarantinedSize() (bytes uintptr, count uint) {
	if q := mc.quarantine(); q != nil {
		return q.bytes, uint(len(q.waiting))
	}
	return 0, 0
}

// Quarantine implements [segment.Quarantiner].
func (b blocks) Quarantine(s segment.Segment) error {
	return b.quarantine(s, "a context", nil)
}

// quarantine is Quarantine for a segment of which more is known.
func (b blocks) quarantine(s segment.Segment, whose string, created *diag.Stack) error {
	if s.Base == nil || s.Size <= 0 {
		return b.foreign()
	}
	mc, addr := b.mc, raw.AddrOf(s.Base)
	if !mc.enter("Quarantine") {
		return nil
	}
	c, head := mc.lookUp("Quarantine", addr)
	usable, align := mc.extent(addr, c, head)
	if uintptr(s.Size) > usable {
		mc.leave()
		return b.foreign()
	}
	// A small chunk may be on a list next, and what is larger than all that may be
	// held would end the quarantine of everything else.
	size := head.Size()
	if head.State() != chunk.Trailed && size <= bins.MaxChunk || size > quarantinedBytes {
		mc.freeLive("Quarantine", addr, c, head)
		return nil
	}
	if head.State() == chunk.Trailed {
		mc.checkGuards("Quarantine", addr, c, size)
	}
	mc.noteFree("Quarantine", c, head)
	mc.hold(c, quarantined{freedBlock{addr: addr, n: uintptr(s.Size), size: size, align: align}, whose, created})
	mc.leave()
	return nil
}

// quarantine is that of [blocks], under the lock.
func (b lockedBlocks) quarantine(s segment.Segment, whose string, created *diag.Stack) error {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.quarantine(s, whose, created)
}

// Quarantine implements [segment.Quarantiner].
func (b lockedBlocks) Quarantine(s segment.Segment) error {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.Quarantine(s)
}

// giveBack releases s. Under Checked it is put into quarantine, and the provider told
// whose it was if it is blocks of a context.
func (w *watch) giveBack(s segment.Segment) error {
	if w.created == nil {
		return w.up.Release(s)
	}
	if b, ok := w.up.(interface {
		quarantine(s segment.Segment, whose string, created *diag.Stack) error
	}); ok {
		return b.quarantine(s, fmt.Sprintf("context %q", w.name), w.created)
	}
	return segment.Quarantine(w.up, s)
}

// hold takes back the live block q of chunk c and holds it back.
func (mc *Context) hold(c raw.Addr, q quarantined) {
	f := mc.kin()
	if f.quarantine == nil {
		f.quarantine = &quarantine{}
	}
	held := f.quarantine
	for len(held.waiting) == quarantinedBlocks || held.bytes+q.size > quarantinedBytes {
		mc.endOldest(held)
	}
	mc.large.frees++
	mc.largeBytes -= q.size
	diag.Freed(q.addr, q.n)
	if mc.mode&checked != 0 {
		mc.watch.blocks.died(q.addr)
		if mc.watch.stacks != nil {
			q.allocated, q.freed = mc.watch.sites[q.addr], mc.watch.stacks.Here(0)
			delete(mc.watch.sites, q.addr)
		}
	}
	if held.chunks == nil {
		held.chunks = map[raw.Addr]struct{}{}
	}
	held.chunks[c] = struct{}{}
	held.waiting = append(held.waiting, q)
	held.bytes += q.size
}

// endOldest frees the block that is held back longest. A stale write is noted and no
// panic: the call under way may be that of a context which has nothing to do with it.
func (mc *Context) endOldest(held *quarantine) {
	q := held.waiting[0]
	held.waiting = held.waiting[1:]
	held.bytes -= q.size
	c := chunk.OfBlock(q.addr - mc.front())
	delete(held.chunks, c)
	f := mc.quarantinedFault(&q, c)
	if f != nil {
		f.Op, f.Context = "Quarantine", mc.Name()
		if mc.mode&observed != 0 {
			mc.watch.note(diag.Event{Kind: diag.EventError, Op: f.Op, Addr: f.Addr, Err: f})
		}
		if held.found == nil {
			held.found = f
		}
	}
	if f == nil || f.Kind != diag.Corrupt { // or the chunk is lost until all are dropped
		mc.coalesce(c, chunk.Read(c, mc.tag))
	}
}

// endQuarantine frees all that is held back and returns how many bytes it was.
func (mc *Context) endQuarantine() (bytes uintptr) {
	held := mc.quarantine()
	if held == nil {
		return 0
	}
	for bytes = held.bytes; len(held.waiting) > 0; {
		mc.endOldest(held)
	}
	return bytes
}

// quarantinedFault returns what is wrong with a block that is held back, or nil.
func (mc *Context) quarantinedFault(q *quarantined, c raw.Addr) (f *diag.Fault) {
	head := chunk.Read(c, mc.tag)
	switch state := head.State(); {
	case state != chunk.InUse && state != chunk.Trailed || head.Size() != q.size || !mc.plausible(c, q.size):
		f = &diag.Fault{Kind: diag.Corrupt, Addr: uintptr(q.addr), Block: q.block()}
	case state == chunk.Trailed:
		f = mc.delayedFault(&q.freedBlock, c)
	default:
		f = q.writtenFault()
	}
	if f != nil {
		f.Hint = "a stale pointer: the memory was a segment of " + q.whose + ", which has been closed or reset or has given it back"
		f.Created, f.Allocated, f.Freed = q.created, q.allocated, q.freed
	}
	return f
}

// staleWrite returns the first stale write to what is held back, or was, or nil.
func (mc *Context) staleWrite() *diag.Fault {
	held := mc.quarantine()
	if held == nil {
		return nil
	}
	if held.found != nil {
		f := *held.found
		return &f
	}
	for i := range held.waiting {
		q := &held.waiting[i]
		if f := mc.quarantinedFault(q, chunk.OfBlock(q.addr-mc.front())); f != nil {
			return f
		}
	}
	return nil
}

// raiseStale raises a stale write that was found, once.
func (mc *Context) raiseStale(op string) {
	held := mc.quarantine()
	if held == nil || held.found == nil {
		return
	}
	f := held.found
	held.found = nil
	f.Op = op
	mc.fault(*f)
}
