package segment

import "errors"

// NeedsCommitter is implemented by decorators. They all have a Commit method,
// to pass the call on; NeedsCommit tells whether there is anything beneath
// that makes use of it.
type NeedsCommitter interface {
	// NeedsCommit reports whether segments must be committed before use.
	NeedsCommit() bool
}

// CommitterOf returns p as a [Committer] if its segments must be committed
// before use, and false if they are usable from the start. The answer does not
// change during the life of p, so ask once and keep it.
func CommitterOf(p Provider) (Committer, bool) {
	c, ok := p.(Committer)
	if !ok {
		return nil, false
	}
	if d, ok := p.(NeedsCommitter); ok && !d.NeedsCommit() {
		return nil, false
	}
	return c, true
}

// Commit makes the n bytes at offset off of s usable. It does nothing, and
// returns nil, where p hands out segments that are usable from the start.
func Commit(p Provider, s Segment, off, n int) error {
	if c, ok := CommitterOf(p); ok {
		return c.Commit(s, off, n)
	}
	return nil
}

// Resize changes the size of s to one in [min, max] bytes; see [Resizer]. It
// returns s and an error that is [errors.ErrUnsupported] where p cannot.
func Resize(p Provider, s Segment, min, max int, fixed bool) (Segment, error) {
	if r, ok := p.(Resizer); ok {
		return r.Resize(s, min, max, fixed)
	}
	return s, errors.ErrUnsupported
}

// Discard gives back the pages behind the n bytes at offset off of s, whose
// contents are undefined from then on; see [Discarder]. It returns
// [errors.ErrUnsupported] where p cannot.
func Discard(p Provider, s Segment, off, n int) error {
	if d, ok := p.(Discarder); ok {
		return d.Discard(s, off, n)
	}
	return errors.ErrUnsupported
}
