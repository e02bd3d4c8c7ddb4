package memctx

import (
	"errors"
	"fmt"

	"github.com/cookmem-go/cookmem/segment"
)

// Errors of this package are a [*Error] that wraps one of these; test them with
// errors.Is. Whatever the error, the context is as it was before the call.
var (
	// ErrLimit: a limit of the context or of its provider stands in the way.
	// Free something, Trim, or raise the limit with SetLimit.
	ErrLimit = segment.ErrLimit

	// ErrNoMemory: the provider has nothing left to give.
	ErrNoMemory = segment.ErrNoMemory

	// ErrSize: a size is negative, above [MaxRequest], or wraps when it is
	// multiplied or rounded. No amount of memory would help.
	ErrSize = errors.New("size out of range")

	// ErrAlign: an alignment is not a power of two.
	ErrAlign = errors.New("alignment is not a power of two")

	// ErrClosed: the context has been closed.
	ErrClosed = errors.New("context is closed")
)

// Error tells which call failed, in which context, and why. It is formatted
// only when it is printed: a cache at its limit meets one on every insertion.
type Error struct {
	Op        string // "Alloc", "Realloc", "Close", ...
	Context   string // name of the context
	By        string // name of what has the limit: the context, a budget, or a context beneath
	N         int    // bytes requested
	Align     int    // alignment requested, 0 for the default
	Limit     int    // of By, at the time; NoLimit if it has none
	Footprint int    // of By, at the time
	Err       error  // ErrLimit, ErrNoMemory, ..., or the provider's own error
}

// Error returns one line that names the call, the context, the reason and, for
// a limit, how far away it was.
func (e *Error) Error() string {
	name := e.Context
	if name == "" {
		name = "unnamed"
	}
	text := fmt.Sprintf("memctx: %s", e.Op)
	switch e.Op {
	case "Reset", "Trim", "Close", "Check", "NewChild", "Adopt", "Get":
	default:
		text += fmt.Sprintf(" of %d bytes", e.N)
		if e.Align != 0 {
			text += fmt.Sprintf(" aligned to %d", e.Align)
		}
	}
	text += fmt.Sprintf(" in context %q: %v", name, e.Err)
	if e.Limit != NoLimit && e.Err == ErrLimit { // others tell theirs
		text += fmt.Sprintf(" (limit %v, footprint %v)", Size(e.Limit), Size(e.Footprint))
	}
	return text
}

// blame makes the error tell whose limit it was, if that is known: a budget's, or
// that of the context whose blocks the memory is.
func (e *Error) blame(err error) {
	var budget *segment.LimitError
	var beneath *Error
	switch {
	case errors.As(err, &budget):
		e.By, e.Limit, e.Footprint = budget.By, budget.Limit, budget.Used
	case errors.As(err, &beneath):
		e.By, e.Limit, e.Footprint = beneath.By, beneath.Limit, beneath.Footprint
	}
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
