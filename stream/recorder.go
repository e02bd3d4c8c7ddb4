package stream

import (
	"fmt"
	"io"
	"sync"

	"github.com/cookmem-go/cookmem/diag"
)

// Recorder writes the stream of a context that it observes: put it into the
// context's options, and Close it after the context.
//
// It may see several contexts of one program, one after the other: closing one
// drops its blocks, which makes a reset of the stream. While two contexts live at
// the same time each needs a recorder of its own; otherwise the error of Close
// says that blocks were freed which the stream did not have.
//
// A Recorder may be used by several goroutines. Each request costs it a lookup in
// a map and a few bytes to compress; its memory grows with the blocks that are
// live. After an error it records nothing more.
type Recorder struct {
	mu    sync.Mutex
	w     *Writer
	slots map[uintptr]int // by address of the block
}

// NewRecorder starts a stream on w, whose source is described in a line or two;
// see NewWriter.
func NewRecorder(w io.Writer, source string) (*Recorder, error) {
	s, err := NewWriter(w, source)
	if err != nil {
		return nil, err
	}
	return &Recorder{w: s, slots: map[uintptr]int{}}, nil
}

// Observe implements [diag.Observer].
func (r *Recorder) Observe(e diag.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w.err != nil {
		return
	}
	switch e.Kind {
	case diag.EventAlloc:
		r.alloc(e)
	case diag.EventRealloc:
		if slot, ok := r.find(e.Old); ok {
			delete(r.slots, e.Old)
			r.slots[e.Addr] = slot
			r.w.Realloc(slot, e.N)
		}
	case diag.EventFree:
		if slot, ok := r.find(e.Addr); ok {
			delete(r.slots, e.Addr)
			r.w.Free(slot)
		}
	case diag.EventReset:
		r.reset()
	case diag.EventClose:
		if len(r.slots) != 0 {
			r.reset()
		}
	}
}

func (r *Recorder) alloc(e diag.Event) {
	switch e.Op {
	case "AllocZeroed", "Bytes":
		r.slots[e.Addr] = r.w.Zeroed(e.N)
	default:
		r.slots[e.Addr] = r.w.Alloc(e.N, e.Align)
	}
}

func (r *Recorder) find(addr uintptr) (slot int, ok bool) {
	slot, ok = r.slots[addr]
	if !ok {
		r.w.fail(fmt.Errorf("a block at %#x that was never allocated, or by a context that shares the recorder", addr))
	}
	return slot, ok
}

func (r *Recorder) reset() {
	clear(r.slots)
	r.w.Reset()
}

// Counts returns the counts so far.
func (r *Recorder) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.w.Counts()
}

// Close completes the stream and returns the first error there was. Later events
// are ignored, and a second call returns ErrClosed. It does not close what the
// stream was written to.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.slots)
	return r.w.Close()
}
