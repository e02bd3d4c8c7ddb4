package segment_test

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// TestCacheCommitsOnce uses one segment over and over: only what was not yet
// committed may reach the upstream.
func TestCacheCommitsOnce(t *testing.T) {
	up := segment.Counting(segtest.Reserving())
	c := segment.NewCache(up, 64*mib)
	for range 100 {
		s := mustAcquire(t, c, 256*kib)
		for off := 0; off < s.Size; off += 64 * kib { // from and to the middle of pages
			if err := c.Commit(s, off+8, 64*kib-16); err != nil {
				t.Fatal(err)
			}
		}
		segtest.Fill(s, 1)
		mustRelease(t, c, s)
	}
	if up.Commits() != 4 {
		t.Errorf("%d commits", up.Commits())
	}
	// The next segments are made of this one and of what lies behind it.
	a, b, d := mustAcquire(t, c, 64*kib), mustAcquire(t, c, 128*kib), mustAcquire(t, c, 128*kib)
	for _, s := range []segment.Segment{a, b, d} {
		segtest.Fill(mustCommit(t, c, s), 2)
	}
	if up.Commits() != 5 {
		t.Errorf("%d commits after the segment was divided", up.Commits())
	}
	mustCheck(t, c)
	mustRelease(t, c, b, a, d)
	whole := mustAcquire(t, c, 320*kib)
	segtest.Fill(mustCommit(t, c, whole), 3)
	if up.Commits() != 5 {
		t.Errorf("%d commits after the parts were joined", up.Commits())
	}
	mustRelease(t, c, whole)
	mustDrain(t, c, up)
	// Another mapping knows nothing of the last one's.
	s := mustCommit(t, c, mustAcquire(t, c, 64*kib))
	segtest.Fill(s, 4)
	mustRelease(t, c, s)
	mustDrain(t, c, up)
}

// TestCacheForgetsNoGap commits the end of a segment, but not what lies before
// it, and nothing where that fails.
func TestCacheForgetsNoGap(t *testing.T) {
	fail := segment.Failing(segtest.Reserving(), 2)
	up := segment.Counting(fail)
	c := segment.NewCache(up, 64*mib)
	s := mustAcquire(t, c, 256*kib)
	if err := c.Commit(s, 0, s.Size); !errors.Is(err, segment.ErrNoMemory) {
		t.Errorf("the failing Commit: %v", err)
	}
	for range 2 { // not known the second time either: it does not begin at 0
		if err := c.Commit(s, 128*kib, 64*kib); err != nil {
			t.Fatal(err)
		}
	}
	segtest.Fill(mustCommit(t, c, s), 5)
	if up.Commits() != 3 {
		t.Errorf("%d commits", up.Commits())
	}
	mustRelease(t, c, s)
	mustDrain(t, c, up)
}
