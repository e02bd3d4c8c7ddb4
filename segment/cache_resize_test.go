package segment_test

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

func TestCacheResizesInPlace(t *testing.T) {
	c, up := newCache(64 * mib)
	s := mustCommit(t, c, mustAcquire(t, c, 64*kib))
	segtest.Fill(s, 9)
	big, err := c.Resize(s, 512*kib, 512*kib, true)
	if err != nil || big.Base != s.Base || big.Size != 512*kib || big.Zeroed {
		t.Fatalf("grow into idle memory: %v, %v", big, err)
	}
	mustCheck(t, c)
	small, err := c.Resize(big, 1, 4096, true)
	if err != nil || small.Base != s.Base || small.Size != 4096 || !segtest.All(small, 9) {
		t.Fatalf("shrink: %v, %v", small, err)
	}
	wall := mustAcquire(t, c, 4096) // right behind it
	if _, err := c.Resize(small, 8192, 8192, true); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("grow against a neighbour: %v", err)
	}
	if r, err := c.Resize(small, 1, 8192, true); err != nil || r.Size != 4096 {
		t.Errorf("a resize that wants more than there is, but needs less: %v, %v", r, err)
	}
	mustRelease(t, c, small, wall)
	mustDrain(t, c, up)
}

func TestCacheResizesMappings(t *testing.T) {
	c, up := newCache(64 * mib)
	s := mustAcquire(t, c, 8*mib)
	segtest.Fill(mustCommit(t, c, s), 3)
	r, err := c.Resize(s, 64*mib, 64*mib, false)
	mustCheck(t, c)
	if errors.Is(err, errors.ErrUnsupported) {
		if r.Base != s.Base || r.Size != s.Size {
			t.Fatalf("failed Resize = %v", r)
		}
		mustRelease(t, c, r)
		t.Skip("the system cannot enlarge mappings")
	}
	if err != nil || r.Size != 64*mib || c.Held() != 64*mib || up.Bytes() != 64*mib {
		t.Fatalf("%d bytes, %d held, %d from upstream: %v", r.Size, c.Held(), up.Bytes(), err)
	}
	if !segtest.All(segment.Segment{Base: r.Base, Size: 8 * mib}, 3) {
		t.Error("contents lost")
	}
	if err := c.Release(s); s.Base != r.Base && !errors.Is(err, segment.ErrForeign) {
		t.Errorf("Release at the old address: %v", err)
	}
	mustRelease(t, c, r)
	mustDrain(t, c, up)
}

// TestCacheResizesMappingsWithIdleEnds has a segment that shares its mapping with what is
// idle behind it, and does not get enough of that.
func TestCacheResizesMappingsWithIdleEnds(t *testing.T) {
	for name, source := range map[string]segment.Provider{
		"restless": segtest.NewRestless(segment.Heap(), 64),
		"rigid":    segtest.Rigid(segment.Heap()),
		"failing":  segment.FailingFrom(segtest.NewRestless(segment.Heap(), 64), 2),
	} {
		t.Run(name, func(t *testing.T) {
			up := segment.Counting(source)
			c := segment.NewCache(up, 64*mib)
			s, err := c.Resize(mustAcquire(t, c, 8*mib), mib, mib, true)
			if err != nil || c.Idle() != 7*mib {
				t.Fatalf("%d bytes are idle, %v", c.Idle(), err)
			}
			segtest.Fill(s, 6)
			for _, fixed := range []bool{true, false, false, false} {
				for _, n := range []int{9 * mib, 10 * mib} {
					before := c.Stats()
					r, err := c.Resize(s, n, n, fixed)
					mustCheck(t, c)
					if !segtest.All(segment.Segment{Base: r.Base, Size: mib}, 6) {
						t.Fatal("contents lost")
					}
					if err != nil {
						if after := c.Stats(); r != s || after != before {
							t.Fatalf("a failed Resize to %d: %v, %+v of %+v", n, r, after, before)
						}
						continue
					}
					if r.Size != n || c.Held() != up.Bytes() || c.Held() < n {
						t.Fatalf("%d bytes of %d, %d held", r.Size, n, c.Held())
					}
					if s, err = c.Resize(r, mib, mib, true); err != nil || s.Size != mib {
						t.Fatalf("shrunk to %d bytes, %v", s.Size, err)
					}
				}
			}
			if name == "restless" && up.Resizes() < 2 {
				t.Errorf("%d resizes", up.Resizes())
			}
			mustRelease(t, c, s)
			mustCheck(t, c)
		})
	}
}
