package memctx_test

import (
	"fmt"
	"testing"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// ready is a provider of segments that are committed already, lest there be more
// calls than segments where a system wants to hear of that.
type ready struct{ segment.Provider }

func (p ready) Acquire(min, max int) (segment.Segment, error) {
	s, err := p.Provider.Acquire(min, max)
	if err != nil {
		return s, err
	}
	return s, segment.Commit(p.Provider, s, 0, s.Size)
}

// TestRefusedAmongMany closes and resets contexts of 300 segments, which go back in
// groups, and lets the provider refuse one of them, or all from one on, at the borders
// of groups too. The context keeps exactly those, and gives them back the next time.
func TestRefusedAmongMany(t *testing.T) {
	const segments, size, retained = 300, 1 << 20, 3
	for _, nth := range []int{1, 127, 128, 129, 255, 257, segments - retained} {
		for _, c := range []struct {
			name    string
			fail    func(segment.Provider, int) *segment.Failer
			end     func(*memctx.Context) error
			refused int
			kept    int
		}{
			{"Close, one", segment.Failing, (*memctx.Context).Close, 1, 0},
			{"Close, rest", segment.FailingFrom, (*memctx.Context).Close, segments - nth + 1, 0},
			{"Reset, one", segment.Failing, (*memctx.Context).Reset, 1, retained},
			{"Reset, rest", segment.FailingFrom, (*memctx.Context).Reset, segments - retained - nth + 1, retained},
		} {
			t.Run(fmt.Sprint(c.name, " ", nth), func(t *testing.T) {
				counter := segment.Counting(ready{segment.OS()})
				failer := c.fail(counter, segments+nth)
				mc := newContext(t, &memctx.Options{Provider: equalSegments{segment.Counting(failer), size}, Retain: retained * size})
				for mc.Footprint() < segments*size {
					mustAlloc(t, mc, size*3/4)
				}
				err := c.end(mc)
				if want := (c.refused + c.kept) * size; err == nil || mc.Footprint() != want || counter.Bytes() != want {
					t.Errorf("failed: %t; footprint %d, %d bytes are out, want %d", err != nil, mc.Footprint(), counter.Bytes(), want)
				}
				failer.Heal()
				if c.kept > 0 {
					mustCheck(t, mc)
				}
				if err := mc.Close(); err != nil || counter.Bytes() != 0 {
					t.Errorf("Close at last: %v, %d bytes are out", err, counter.Bytes())
				}
			})
		}
	}
}
