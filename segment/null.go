package segment

type null struct{}

// Null returns the provider that has nothing: Acquire always fails with
// [ErrNoMemory]. It ends a chain, and makes a context that must live on what
// it was given fail early in tests.
func Null() Provider { return null{} }

// Acquire implements [Provider]; it always fails.
func (null) Acquire(min, max int) (Segment, error) {
	return Segment{}, noMemory("null", min, max, nil)
}

// Release implements [Provider]; no segment can be from here.
func (null) Release(s Segment) error { return foreign("null", "release", s) }
