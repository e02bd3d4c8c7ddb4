package segment

import (
	"fmt"
	"strings"
)

// failure says which provider could not do what. It is formatted only when
// somebody reads it: a cache of values that lives at its limit meets such an
// error on every insertion.
type failure struct {
	provider string // "os", "heap", ...
	op       string
	min, max int   // bytes; both 0 if the operation has no size
	kind     error // ErrNoMemory, ErrForeign
	cause    error // the system's own error, or nil
}

func noMemory(provider string, min, max int, cause error) error {
	return &failure{provider, "acquire", min, max, ErrNoMemory, cause}
}

func foreign(provider, op string, s Segment) error {
	return &failure{provider, op, s.Size, s.Size, ErrForeign, nil}
}

// Error implements error.
func (f *failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "segment: %s: %s", f.provider, f.op)
	if f.min == f.max && f.min != 0 {
		fmt.Fprintf(&b, " %d bytes", f.min)
	} else if f.max != 0 {
		fmt.Fprintf(&b, " %d to %d bytes", f.min, f.max)
	}
	fmt.Fprintf(&b, ": %v", f.kind)
	if f.cause != nil {
		fmt.Fprintf(&b, ": %v", f.cause)
	}
	return b.String()
}

// Unwrap lets [errors.Is] find both the kind and the system's own error.
func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}
