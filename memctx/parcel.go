package memctx

import (
	"slices"
	"sync"

	"github.com/cookmem-go/cookmem/segment"
)

// parcelSize is the number of segments that go back to the provider together. A
// provider takes them at less cost than one by one, which is most of the cost of a
// Close. A hundred hold a million blocks of 200 bytes.
const parcelSize = 128

// parcel is scratch for giving back a group of segments.
type parcel struct {
	segments [parcelSize]segment.Segment // those that go
	stays    [parcelSize]bool            // by place in the group
}

// parcels are for reuse, since what a provider is given escapes.
var parcels = sync.Pool{New: func() any { return new(parcel) }}

// releaseGroup gives back the segments of a group for which choose is true. The
// parcel tells which ones stay: the others, and those that were refused, whose errors
// it returns.
func (mc *Context) releaseGroup(p *parcel, group []record, choose func(*record) bool) error {
	going, bytes := p.segments[:0], 0
	for i := range group {
		r := &group[i]
		if p.stays[i] = !choose(r); !p.stays[i] {
			going = append(going, r.Segment)
			bytes += r.Size
		}
	}
	refused, err := segment.ReleaseMany(mc.provider, going)
	for i := range group {
		if len(refused) > 0 && slices.Contains(refused, group[i].Segment) {
			p.stays[i] = true
			bytes -= group[i].Size
		}
	}
	for i := range group {
		if !p.stays[i] {
			mc.noteLeft(group[i].Segment)
		}
	}
	mc.addFootprint(-bytes)
	clear(going)
	return err
}
