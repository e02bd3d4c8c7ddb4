package memctx

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// watch is what a context keeps beside its heap for diagnostics. A context
// without any has none. It stands between the context and its provider, and so
// sees every segment come and go.
type watch struct {
	up       segment.Provider
	name     string
	observer diag.Observer
	pending  []diag.Event // of the present call
	pattern  diag.Pattern // of guards
}

// newWatch puts a watch between the context and its provider, if the options
// ask for one.
func (mc *Context) newWatch(o *Options, number uint64) {
	if o.Observer == nil && !o.Guard {
		return
	}
	mc.watch = &watch{up: mc.provider, name: mc.name, observer: o.Observer, pattern: diag.PatternOf(number)}
	if o.Observer != nil {
		mc.provider = mc.watch
		mc.mode |= observed
	}
}

// note adds an event to those of the present call.
func (w *watch) note(e diag.Event) {
	e.Context = w.name
	w.pending = append(w.pending, e)
}

// deliver tells the observer what the present call has done. The context is
// busy meanwhile: whoever calls it from the observer learns so by a fault. Should
// the observer panic, the context is idle and the rest is dropped.
func (mc *Context) deliver() {
	defer mc.delivered()
	for i := range mc.watch.pending {
		mc.mode |= busy // a fault that the observer recovered has cleared it
		mc.watch.observer.Observe(mc.watch.pending[i])
	}
}

func (mc *Context) delivered() {
	mc.mode &^= busy
	clear(mc.watch.pending)
	mc.watch.pending = mc.watch.pending[:0]
}

// noteBlock adds an event about the block b, which is live.
func (mc *Context) noteBlock(kind diag.EventKind, op string, b raw.Addr, n int) {
	if mc.mode&observed != 0 {
		c := chunk.OfBlock(b - mc.front())
		mc.watch.note(mc.blockEvent(kind, op, c, chunk.Read(c, mc.tag), n))
	}
}

// blockEvent makes an event about the live block of chunk c. A negative n stands
// for what the heap knows of it.
func (mc *Context) blockEvent(kind diag.EventKind, op string, c raw.Addr, head chunk.Head, n int) diag.Event {
	block := mc.describe(c, head)
	if n < 0 {
		n = block.Size
	}
	return diag.Event{Kind: kind, Op: op, Addr: block.Addr, N: n, Align: block.Align, Size: int(head.Size())}
}

// noteMoved adds the event that the block at old is now b, with n bytes.
func (mc *Context) noteMoved(op string, old, b raw.Addr, n int) {
	if mc.mode&observed != 0 {
		mc.noteBlock(diag.EventRealloc, op, b, n)
		mc.watch.pending[len(mc.watch.pending)-1].Old = uintptr(old)
	}
}

// noteDone adds an event that is about the context as a whole.
func (mc *Context) noteDone(kind diag.EventKind, op string) {
	if mc.mode&observed != 0 {
		mc.watch.note(diag.Event{Kind: kind, Op: op})
	}
}

// noteFailure tells the observer of a call that has failed and is over.
func (mc *Context) noteFailure(e *Error) {
	if mc.mode&busy != 0 {
		mc.faultConcurrent(e.Op)
	}
	mc.watch.note(diag.Event{Kind: diag.EventError, Op: e.Op, N: max(e.N, 0), Align: max(e.Align, 0), Err: e})
	mc.deliver()
}

// Acquire implements [segment.Provider].
func (w *watch) Acquire(min, max int) (segment.Segment, error) {
	s, err := w.up.Acquire(min, max)
	if err == nil {
		w.noteSegment(diag.EventAcquire, s.Base, s.Size)
	}
	return s, err
}

// Release implements [segment.Provider].
func (w *watch) Release(s segment.Segment) error {
	err := w.up.Release(s)
	if err == nil {
		w.noteSegment(diag.EventRelease, s.Base, s.Size)
	}
	return err
}

// Resize implements [segment.Resizer]. A segment that has moved was, for an
// observer, released and acquired.
func (w *watch) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	r, err := segment.Resize(w.up, s, min, max, fixed)
	switch {
	case err != nil:
	case r.Base != s.Base:
		w.noteSegment(diag.EventRelease, s.Base, s.Size)
		w.noteSegment(diag.EventAcquire, r.Base, r.Size)
	case r.Size < s.Size:
		w.noteSegment(diag.EventRelease, unsafe.Add(s.Base, r.Size), s.Size-r.Size)
	case r.Size > s.Size:
		w.noteSegment(diag.EventAcquire, unsafe.Add(s.Base, s.Size), r.Size-s.Size)
	}
	return r, err
}

func (w *watch) noteSegment(kind diag.EventKind, base unsafe.Pointer, size int) {
	w.note(diag.Event{Kind: kind, Addr: uintptr(base), Size: size})
}

// Discard implements [segment.Discarder].
func (w *watch) Discard(s segment.Segment, off, n int) error {
	return segment.Discard(w.up, s, off, n)
}

// Commit implements [segment.Committer].
func (w *watch) Commit(s segment.Segment, off, n int) error {
	return segment.Commit(w.up, s, off, n)
}

// NeedsCommit implements [segment.NeedsCommitter].
func (w *watch) NeedsCommit() bool { _, ok := segment.CommitterOf(w.up); return ok }

// Drain implements [segment.Drainer].
func (w *watch) Drain() error { return segment.Drain(w.up) }
