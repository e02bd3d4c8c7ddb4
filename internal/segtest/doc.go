// Package segtest has providers that behave as a system on which the tests do
// not run, or as nobody hopes any does: other page sizes, reservations that
// must be committed, segments larger or smaller than wished for, memory that is
// dirty, releases that fail, segments that lie side by side.
//
// All of them stand on another provider, usually segment.Heap, so that the race
// detector sees the memory. They forward the optional abilities of what they
// stand on, except where their comment says otherwise.
package segtest

import "github.com/cookmem-go/cookmem/segment"

// forward passes the optional abilities on; the decorators embed it.
type forward struct{ up segment.Provider }

func (f forward) Acquire(min, max int) (segment.Segment, error) { return f.up.Acquire(min, max) }
func (f forward) Release(s segment.Segment) error               { return f.up.Release(s) }
func (f forward) Drain() error                                  { return segment.Drain(f.up) }
func (f forward) Most(min, max int) int                         { return segment.Most(f.up, min, max) }
func (f forward) NeedsCommit() bool                             { _, ok := segment.CommitterOf(f.up); return ok }

func (f forward) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	return segment.Resize(f.up, s, min, max, fixed)
}

func (f forward) Join(a, b segment.Segment) (segment.Segment, error) {
	return segment.Join(f.up, a, b)
}

func (f forward) Split(s segment.Segment, n int) (front, rest segment.Segment, err error) {
	return segment.Split(f.up, s, n)
}

func (f forward) Discard(s segment.Segment, off, n int) error {
	return segment.Discard(f.up, s, off, n)
}

func (f forward) Commit(s segment.Segment, off, n int) error {
	return segment.Commit(f.up, s, off, n)
}
