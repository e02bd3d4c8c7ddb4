package segment

import "errors"

// ManyReleaser is implemented by providers that take many segments back for less
// than as many releases cost. Decorators forward it.
type ManyReleaser interface {
	// ReleaseMany gives back the segments ss, each as [Provider].Release would,
	// and those that can be, whatever happens to others. It returns the ones that
	// the caller still owns, in any order and in the place of the first of ss, with
	// the errors of all of them. What else is in ss is undefined then.
	//
	// It costs least if ss is in the order of addresses.
	ReleaseMany(ss []Segment) (refused []Segment, err error)
}

// ReleaseMany gives back the segments ss, one by one if p has no better way; see
// [ManyReleaser]. It returns those that p refused, of which the caller is still the
// owner, in the place of the first of ss.
func ReleaseMany(p Provider, ss []Segment) (refused []Segment, err error) {
	if m, ok := p.(ManyReleaser); ok && len(ss) > 1 {
		return m.ReleaseMany(ss)
	}
	return releaseEach(p, ss)
}

// releaseEach is ReleaseMany for every provider.
func releaseEach(p Provider, ss []Segment) (refused []Segment, err error) {
	refused = ss[:0]
	for _, s := range ss {
		if e := p.Release(s); e != nil {
			refused, err = append(refused, s), errors.Join(err, e)
		}
	}
	return refused, err
}

// bytesOf returns the size of all segments together.
func bytesOf(ss []Segment) (bytes int) {
	for _, s := range ss {
		bytes += s.Size
	}
	return bytes
}

// ReleaseMany implements [ManyReleaser]. Each segment counts as one call.
func (c *Counter) ReleaseMany(ss []Segment) (refused []Segment, err error) {
	count, bytes := len(ss), bytesOf(ss)
	refused, err = ReleaseMany(c.up, ss)
	c.releases.Add(int64(count - len(refused)))
	c.failures.Add(int64(len(refused)))
	c.charge(bytesOf(refused) - bytes)
	return refused, err
}

// ReleaseMany implements [ManyReleaser]. Each segment counts as one call, which may
// be one to fail.
func (f *Failer) ReleaseMany(ss []Segment) (refused []Segment, err error) {
	failed := 0 // moved to the front
	for i, s := range ss {
		if e := f.call("release", s.Size, s.Size); e != nil {
			ss[i], ss[failed] = ss[failed], s
			failed++
			err = errors.Join(err, e)
		}
	}
	refused, upErr := ReleaseMany(f.up, ss[failed:])
	return ss[:failed+len(refused)], errors.Join(err, upErr)
}

// ReleaseMany implements [ManyReleaser]. What went back is charged no longer.
func (b *Budget) ReleaseMany(ss []Segment) (refused []Segment, err error) {
	bytes := bytesOf(ss)
	refused, err = ReleaseMany(b.up, ss)
	if gone := bytes - bytesOf(refused); gone > 0 {
		b.charge(-gone)
		_ = b.tree.retry() // what is refused again stays charged
	}
	return refused, err
}
