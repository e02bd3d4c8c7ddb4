package segment_test

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// faulting is a provider that panics in the call that its user names, as a context does
// that is a provider and meets a fault.
type faulting struct {
	*segtest.Strip
	in string
}

var errPanic = errors.New("a fault of the upstream")

func (p *faulting) fault(call string) {
	if p.in == call {
		p.in = ""
		panic(errPanic)
	}
}

func (p *faulting) Release(s segment.Segment) error {
	p.fault("release")
	return p.Strip.Release(s)
}

func (p *faulting) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	p.fault("resize")
	return s, errors.ErrUnsupported
}

func (p *faulting) Discard(segment.Segment, int, int) error {
	p.fault("discard")
	return nil
}

func (p *faulting) Join(a, b segment.Segment) (segment.Segment, error) {
	p.fault("join")
	return p.Strip.Join(a, b)
}

// TestCacheWhoseUpstreamPanics lets calls of the upstream panic while the lock is open.
// The panic must reach the caller, and the cache must serve on.
func TestCacheWhoseUpstreamPanics(t *testing.T) {
	for call, provoke := range map[string]func(*segment.Cache, []segment.Segment){
		"release": func(c *segment.Cache, row []segment.Segment) { _ = c.Release(row[0]); _ = c.Drain() },
		"resize":  func(c *segment.Cache, row []segment.Segment) { _, _ = c.Resize(row[0], 3*mib, 3*mib, false) },
		"join": func(c *segment.Cache, row []segment.Segment) {
			_, _ = segment.ReleaseMany(c, row)
			_, _ = c.Acquire(4*mib, 4*mib)
		},
		"discard": func(c *segment.Cache, row []segment.Segment) {
			s, _ := c.Acquire(segment.Granule, segment.Granule)
			_, _ = c.Acquire(segment.Granule, segment.Granule) // the mapping stays in use
			_ = c.Release(s)
			_ = c.Drain()
		},
	} {
		t.Run(call, func(t *testing.T) {
			up := &faulting{segtest.NewStrip(64*mib, 64*kib), call}
			c := segment.NewCache(up, 64*mib).JoinFrom(0)
			row := mustRow(t, c, 3, 2*mib)
			func() {
				defer func() {
					if got := recover(); got != errPanic {
						t.Errorf("the caller has met %v", got)
					}
				}()
				provoke(c, row)
			}()
			s := mustAcquire(t, c, mib)
			segtest.Fill(s, 5)
			mustRelease(t, c, s)
			if err := c.Drain(); err != nil {
				t.Error(err)
			}
		})
	}
}
