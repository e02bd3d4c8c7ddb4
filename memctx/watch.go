package memctx

import (
	"errors"
	"runtime"
	"slices"
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
	pending  []diag.Event      // of the present call
	pattern  diag.Pattern      // of guards
	going    []segment.Segment // scratch of ReleaseMany

	// Under Checked:
	blocks  blockMaps   // where live blocks begin
	line    delayLine   // freed blocks that wait
	created *diag.Stack // where the context was made
	held    int         // bytes of segments

	// Under Stacks:
	stacks *diag.Stacks
	sites  map[raw.Addr]*diag.Stack // of live blocks
}

// newWatch puts a watch between the context and its provider, if the options
// ask for one.
func (mc *Context) newWatch(o *Options, number uint64) {
	if o.Observer == nil && !o.Guard && !o.isChecked() {
		return
	}
	mc.watch = &watch{up: mc.provider, name: mc.Name(), observer: o.Observer, pattern: diag.PatternOf(number)}
	if o.Observer != nil {
		mc.mode |= observed
	}
	if o.isChecked() {
		mc.mode |= checked
		mc.watch.created = new(diag.Stacks).Here(0)
		runtime.AddCleanup(mc, reportLost, mc.watch)
	}
	if o.Stacks {
		mc.watch.stacks, mc.watch.sites = &diag.Stacks{}, map[raw.Addr]*diag.Stack{}
	}
	if mc.mode&watching != 0 {
		mc.provider = mc.watch
	}
}

// forget notes that all blocks were dropped at once.
func (w *watch) forget() {
	w.blocks.forget()
	w.line.forget()
	clear(w.sites)
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

// noteBlock adds an event about the block b of n bytes, which is live. old is
// where it was before, 0 if it is new.
func (mc *Context) noteBlock(op string, old, b raw.Addr, n int) {
	kind := diag.EventAlloc
	if old != 0 {
		kind = diag.EventRealloc
	}
	c := chunk.OfBlock(b - mc.front())
	e := mc.blockEvent(kind, op, c, chunk.Read(c, mc.tag), n)
	e.Old = uintptr(old)
	mc.watch.note(e)
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

// noteFree adds the event that the block of chunk c, which is still live, is
// freed.
func (mc *Context) noteFree(op string, c raw.Addr, head chunk.Head) {
	if mc.mode&observed != 0 {
		mc.watch.note(mc.blockEvent(diag.EventFree, op, c, head, -1))
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
		w.gained(s, s.Base, s.Size, blockMap{})
	}
	return s, err
}

// Release implements [segment.Provider].
func (w *watch) Release(s segment.Segment) error {
	err := w.giveBack(s)
	if err == nil {
		w.lost(s, s.Base, s.Size)
	}
	return err
}

// ReleaseMany implements [segment.ManyReleaser]. Under Checked each segment goes into
// quarantine by itself.
func (w *watch) ReleaseMany(ss []segment.Segment) (refused []segment.Segment, err error) {
	if w.created != nil {
		refused = ss[:0]
		for _, s := range ss {
			if e := w.Release(s); e != nil {
				refused, err = append(refused, s), errors.Join(err, e)
			}
		}
		return refused, err
	}
	w.going = append(w.going[:0], ss...) // what is in ss will be undefined
	refused, err = segment.ReleaseMany(w.up, ss)
	for _, s := range w.going {
		if !slices.Contains(refused, s) {
			w.lost(s, s.Base, s.Size)
		}
	}
	clear(w.going)
	return refused, err
}

// Resize implements [segment.Resizer]. A segment that has moved was, for an
// observer, released and acquired.
func (w *watch) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	r, err := segment.Resize(w.up, s, min, max, fixed)
	switch {
	case err != nil:
	case r.Base != s.Base:
		w.gained(r, r.Base, r.Size, w.lost(s, s.Base, s.Size))
	case r.Size < s.Size:
		w.gained(r, nil, 0, w.lost(s, unsafe.Add(s.Base, r.Size), s.Size-r.Size))
	case r.Size > s.Size:
		w.gained(r, unsafe.Add(s.Base, s.Size), r.Size-s.Size, w.lost(s, nil, 0))
	}
	return r, err
}

// gained notes that the context holds s, of whose blocks something may be known,
// and tells of size bytes at base that are new.
func (w *watch) gained(s segment.Segment, base unsafe.Pointer, size int, known blockMap) {
	if w.created != nil {
		w.blocks.add(s, known)
	}
	w.held += size
	w.noteSegment(diag.EventAcquire, base, size)
}

// lost is the opposite of gained. It returns what was known of the blocks.
func (w *watch) lost(s segment.Segment, base unsafe.Pointer, size int) (known blockMap) {
	if w.created != nil {
		known = w.blocks.remove(s)
	}
	w.held -= size
	w.noteSegment(diag.EventRelease, base, size)
	return known
}

func (w *watch) noteSegment(kind diag.EventKind, base unsafe.Pointer, size int) {
	if w.observer != nil && size > 0 {
		w.note(diag.Event{Kind: kind, Addr: uintptr(base), Size: size})
	}
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
