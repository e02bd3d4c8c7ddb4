package diag

import "fmt"

// EventKind is what an [Event] tells of.
type EventKind int

// The kinds of events.
const (
	EventAcquire EventKind = iota + 1 // memory came from the provider: Addr, Size
	EventRelease                      // memory went back to it, a segment or the end of one: Addr, Size
	EventAlloc                        // a block was handed out: Addr, N, Align, Size
	EventRealloc                      // a block changed its size: Addr, Old, N, Align, Size
	EventFree                         // a block was taken back: Addr, N, Align, Size
	EventReset                        // all blocks were dropped
	EventClose                        // all blocks were dropped and all memory has been given back
	EventError                        // a call failed with Err, or panicked with it if it is a *Fault
	EventLeak                         // blocks live at Close, under Stacks: Err, a *Leak, and the first one's Addr, N, Align; Size of all
	EventLost                         // a context was collected unclosed: Size, and Err, a *Fault of kind Lost
)

var eventTexts = [...]string{
	EventAcquire: "acquire",
	EventRelease: "release",
	EventAlloc:   "alloc",
	EventRealloc: "realloc",
	EventFree:    "free",
	EventReset:   "reset",
	EventClose:   "close",
	EventError:   "error",
	EventLeak:    "leak",
	EventLost:    "lost",
}

// String returns the kind in a word.
func (k EventKind) String() string {
	if k < 1 || int(k) >= len(eventTexts) {
		return fmt.Sprintf("diag.EventKind(%d)", int(k))
	}
	return eventTexts[k]
}

// Event is something that a call did to a context. What a kind has no use for is
// zero.
type Event struct {
	Kind    EventKind
	Op      string  // the call: "Alloc", "Trim", ...; empty for EventAcquire and EventRelease
	Context string  // name of the context
	Addr    uintptr // of the block or the segment
	Old     uintptr // EventRealloc: where the block was, which may be Addr
	N       int     // bytes requested, or usable ones where the heap did not note that
	Align   int     // alignment requested, at least the default one
	Size    int     // bytes of the chunk with all that it costs, or of the segment
	Err     error   // EventError, EventLeak, EventLost
}

// Observer is told what a context does, while it does it.
//
// Observe is called at the end of the call that caused the events, by the
// goroutine that made it, when the heap is whole again. The context is busy
// until Observe returns: a call of it from there is a fault of kind
// [Concurrent]. If Observe panics, that ends the call; what the call has done
// stays done, so that a block just allocated is live although nobody was told
// its address.
//
// An observer that several contexts share must be safe for concurrent use, and so
// must one of a context that can get lost: a goroutine of the runtime tells of that.
type Observer interface {
	Observe(Event)
}
