package segment

// Drainer is implemented by providers that keep idle memory for later, and by
// decorators, which pass the call on.
type Drainer interface {
	// Drain gives idle memory back to the source. It returns an error if the
	// source refused some of it; that is kept.
	Drain() error
}

// Drain makes p give its idle memory back to its source, if it keeps any.
func Drain(p Provider) error {
	if d, ok := p.(Drainer); ok {
		return d.Drain()
	}
	return nil
}
