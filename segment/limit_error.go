package segment

import "fmt"

// LimitError is the refusal of a [Budget]. It wraps [ErrLimit] and is formatted
// only when it is printed.
type LimitError struct {
	By    string // name of the budget whose limit it was
	N     int    // bytes needed
	Limit int    // of the budget, at the time
	Used  int    // of the budget, at the time
	Veto  bool   // N is above the largest single request, which is Limit then
}

// Error implements error.
func (e *LimitError) Error() string {
	if e.Veto {
		return fmt.Sprintf("segment: budget %q: %d bytes, of at most %d in one request: %v", e.By, e.N, e.Limit, ErrLimit)
	}
	return fmt.Sprintf("segment: budget %q: %d bytes, with %d of %d used: %v", e.By, e.N, e.Used, e.Limit, ErrLimit)
}

// Unwrap returns [ErrLimit].
func (e *LimitError) Unwrap() error { return ErrLimit }
