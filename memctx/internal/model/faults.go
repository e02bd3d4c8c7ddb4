package model

import (
	"fmt"

	"github.com/cookmem-go/cookmem/segment"
)

// faults is a provider that fails some of its calls when told to.
type faults struct {
	up      segment.Provider
	skip    int  // calls to pass on first
	left    int  // calls to fail then
	tripped bool // a call has failed since this was last cleared
}

// arm lets left calls fail after skip others.
func (f *faults) arm(skip, left int) { f.skip, f.left = skip, left }

// call returns the error to fail one call with, if it is to fail.
func (f *faults) call(op string) error {
	if f.left == 0 {
		return nil
	}
	if f.skip > 0 {
		f.skip--
		return nil
	}
	f.left--
	f.tripped = true
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

func (f *faults) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	if err := f.call("resize"); err != nil {
		return s, err
	}
	return segment.Resize(f.up, s, min, max, fixed)
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
