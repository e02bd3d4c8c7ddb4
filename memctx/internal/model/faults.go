package model

import (
	"errors"
	"fmt"

	"github.com/cookmem-go/cookmem/segment"
)

// faults is a provider that fails some of its calls when told to, and counts them.
type faults struct {
	up      segment.Provider
	tally   Tally
	skip    int  // calls to pass on first
	left    int  // calls to fail then
	tripped bool // a call has failed since this was last cleared
}

// arm lets left calls fail after skip others.
func (f *faults) arm(skip, left int) { f.skip, f.left = skip, left }

// call returns the error to fail one call with, if it is to fail.
func (f *faults) call(op string) error {
	f.tally[op]++
	if f.left == 0 {
		return nil
	}
	if f.skip > 0 {
		f.skip--
		return nil
	}
	f.left--
	f.tripped = true
	f.tally[op+" fails"]++
	return fmt.Errorf("model: %s: %w", op, segment.ErrNoMemory)
}

func (f *faults) Acquire(min, max int) (segment.Segment, error) {
	if err := f.call("acquire"); err != nil {
		return segment.Segment{}, err
	}
	return f.up.Acquire(min, max)
}

func (f *faults) Release(s segment.Segment) error {
	if err := f.call("release"); err != nil {
		return err
	}
	return f.up.Release(s)
}

// ReleaseMany fails for some of the segments, as if each were released by itself.
func (f *faults) ReleaseMany(ss []segment.Segment) ([]segment.Segment, error) {
	var failed error
	n := 0
	for i, s := range ss {
		if err := f.call("release"); err != nil {
			failed = errors.Join(failed, err)
			ss[i], ss[n] = ss[n], s
			n++
		}
	}
	f.tally["release at once"]++
	refused, err := segment.ReleaseMany(f.up, ss[n:])
	return ss[:n+len(refused)], errors.Join(failed, err)
}

func (f *faults) Quarantine(s segment.Segment) error {
	if err := f.call("quarantine"); err != nil {
		return err
	}
	return segment.Quarantine(f.up, s)
}

func (f *faults) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	if err := f.call("resize"); err != nil {
		return s, err
	}
	r, err := segment.Resize(f.up, s, min, max, fixed)
	switch {
	case err != nil:
		f.tally["resize in vain"]++
	case r.Base != s.Base:
		f.tally["resize moves"]++
	case r.Size > s.Size:
		f.tally["resize grows"]++
	}
	return r, err
}

func (f *faults) Discard(s segment.Segment, off, n int) error {
	if err := f.call("discard"); err != nil {
		return err
	}
	return segment.Discard(f.up, s, off, n)
}

func (f *faults) Commit(s segment.Segment, off, n int) error {
	if err := f.call("commit"); err != nil {
		return err
	}
	return segment.Commit(f.up, s, off, n)
}

func (f *faults) NeedsCommit() bool { _, ok := segment.CommitterOf(f.up); return ok }
func (f *faults) Drain() error      { return segment.Drain(f.up) }
