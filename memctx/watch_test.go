package memctx_test

import (
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// grouped writes down how many segments come back together.
type grouped struct {
	segment.Provider
	groups []int
}

func (g *grouped) ReleaseMany(ss []segment.Segment) ([]segment.Segment, error) {
	g.groups = append(g.groups, len(ss))
	return segment.ReleaseMany(g.Provider, ss)
}

// TestObservedReleasesGroups requires that the provider of an observed context is
// given the segments of a Close together.
func TestObservedReleasesGroups(t *testing.T) {
	p := &grouped{Provider: segment.Heap()}
	r := &recorder{}
	mc := newContext(t, &memctx.Options{Observer: r, Provider: p})
	for range 50 {
		mustAlloc(t, mc, 200_000)
	}
	want := mc.Stats().Segments
	r.take()
	if err := mc.Close(); err != nil || !slices.Equal(p.groups, []int{want}) {
		t.Errorf("Close = %v, %d segments of %d together", err, p.groups, want)
	}
	events := r.take()
	if len(events) != want+1 || events[want].Kind != diag.EventClose {
		t.Errorf("%d events for %d segments", len(events), want)
	}
}

// TestObservedRefusals refuses each segment of a Close in turns. The observer hears
// of the others, and of that one when it goes.
func TestObservedRefusals(t *testing.T) {
	for nth := 1; nth <= 20; nth++ {
		held := map[uintptr]int{}
		footprint := 0
		r := &recorder{also: func(e diag.Event) {
			switch e.Kind {
			case diag.EventAcquire:
				held[e.Addr] = e.Size
				footprint += e.Size
			case diag.EventRelease:
				if held[e.Addr] != e.Size {
					t.Errorf("%d bytes at %#x are released, held are %d", e.Size, e.Addr, held[e.Addr])
				}
				delete(held, e.Addr)
				footprint -= e.Size
			}
		}}
		counter := segment.Counting(segment.Heap())
		failer := segment.Failing(counter, 20+nth)
		mc := newContext(t, &memctx.Options{Observer: r, Provider: failer})
		for range 20 {
			mustAlloc(t, mc, 200_000)
		}
		if s := mc.Stats(); s.Segments != 20 || s.Footprint != footprint {
			t.Fatalf("%+v, told were %d bytes", s, footprint)
		}
		err := mc.Close()
		mustFail(t, err, memctx.ErrNoMemory, "Close")
		if len(held) != 1 || footprint != mc.Footprint() || footprint != counter.Bytes() || footprint == 0 {
			t.Errorf("call %d: %d segments of %d bytes are held, the footprint is %d, out are %d", nth, len(held), footprint, mc.Footprint(), counter.Bytes())
		}
		if err := mc.Close(); err != nil || footprint != 0 {
			t.Errorf("Close = %v, %d bytes are held", err, footprint)
		}
	}
}
