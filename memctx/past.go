package memctx

import (
	"errors"
	"slices"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// past is what a context remembers of segments that it has no more use for.
type past struct {
	// refused are those that the provider did not take back. They count towards
	// the footprint, and each release tries them again.
	refused []segment.Segment

	// left are where the last ones were that are gone, neighbours that went one after the
	// other as one: a block that was there is told from one that never was the context's.
	// What is there now is not known, if anything is.
	left [16]stretch
	next uint // how many were noted
}

// stretch is a range of addresses.
type stretch struct{ from, to raw.Addr }

// remember returns the past to be added to.
func (mc *Context) remember() *past {
	if mc.past == nil {
		mc.past = &past{}
	}
	return mc.past
}

// refused returns the segments that the provider did not take back.
func (mc *Context) refused() []segment.Segment {
	if mc.past == nil {
		return nil
	}
	return mc.past.refused
}

// refuse notes that the provider did not take back s.
func (mc *Context) refuse(s segment.Segment) {
	p := mc.remember()
	p.refused = append(p.refused, s)
}

// retryRefused tries once more to give back segments that were refused.
func (mc *Context) retryRefused() (err error) {
	if len(mc.refused()) == 0 {
		return nil
	}
	mc.past.refused = slices.DeleteFunc(mc.past.refused, func(s segment.Segment) bool {
		again := mc.provider.Release(s)
		if again == nil {
			mc.addFootprint(-s.Size)
		}
		err = errors.Join(err, again)
		return again == nil
	})
	return err
}

// noteLeft notes that s is no segment any more. After Close nobody asks.
func (mc *Context) noteLeft(s segment.Segment) {
	if mc.mode&closed == 0 {
		from := raw.AddrOf(s.Base)
		mc.remember().leave(stretch{from, from + raw.Addr(s.Size)})
	}
}

func (p *past) leave(s stretch) {
	last := &p.left[(p.next-1)%uint(len(p.left))]
	switch {
	case last.from == s.to:
		last.from = s.from
	case last.to == s.from:
		last.to = s.to
	default:
		p.left[p.next%uint(len(p.left))] = s
		p.next++
	}
}

// hadSegment reports whether a lies where one of the last segments was.
func (mc *Context) hadSegment(a raw.Addr) bool {
	return mc.past != nil && slices.ContainsFunc(mc.past.left[:], func(l stretch) bool { return l.from <= a && a < l.to })
}
