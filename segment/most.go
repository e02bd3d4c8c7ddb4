package segment

// Sizer is implemented by providers that know how they round. Whoever has a limit
// of his own learns before he asks what may come of it; a [Budget] does, and so does
// not ask for more than it has left, though its upstream deals in pages. Decorators
// forward it.
type Sizer interface {
	// Most returns the largest size that Acquire(min, max) may have, at any time,
	// if it is served. It is never less for a wider range. For ranges that Acquire
	// refuses it means nothing. It only computes: a budget calls it under its lock.
	Most(min, max int) int
}

// Most returns the largest size of a segment that p may return to Acquire(min, max);
// see [Sizer]. Of a provider that does not tell, that is max, and a guess.
func Most(p Provider, min, max int) int {
	if s, ok := p.(Sizer); ok {
		return s.Most(min, max)
	}
	return max
}

// mostOf is Most of a provider whose sizes are multiples of unit.
func mostOf(min, max, unit int) int {
	if n, ok := fit(min, max, unit); ok {
		return n
	}
	return max
}

// Most implements [Sizer].
func (c *Cache) Most(min, max int) int { return mostOf(min, max, Granule) }

// Most implements [Sizer].
func (goHeap) Most(min, max int) int { return mostOf(min, max, heapUnit) }

// Most implements [Sizer]: for a range it is all of the buffer, whatever is free.
func (f *fixed) Most(min, max int) int {
	if min == max {
		return min
	}
	return larger(min, f.size)
}

// Most implements [Sizer].
func (c *chain) Most(min, max int) int {
	return larger(Most(c.first, min, max), Most(c.then, min, max))
}

// Most implements [Sizer].
func (c *Counter) Most(min, max int) int { return Most(c.up, min, max) }

// Most implements [Sizer].
func (f *Failer) Most(min, max int) int { return Most(f.up, min, max) }

// Most implements [Sizer].
func (h huge) Most(min, max int) int { return Most(h.up, min, max) }

// Most implements [Sizer]. The limit does not count: it may be changed.
func (b *Budget) Most(min, max int) int { return Most(b.up, min, max) }
