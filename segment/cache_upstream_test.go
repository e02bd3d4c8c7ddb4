package segment_test

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// hasPages reports whether OS is more than Heap.
func hasPages() bool { _, ok := segment.OS().(segment.Discarder); return ok }

// Idle parts of mappings in use cannot go back, but their pages can.
func TestCacheDiscardsWhatItMustKeep(t *testing.T) {
	if !hasPages() {
		t.Skip("this system discards nothing")
	}
	c, up := newCache(4 * mib)
	var keep, drop []segment.Segment
	for range 64 {
		keep = append(keep, mustAcquire(t, c, 64*kib))
		drop = append(drop, mustAcquire(t, c, 448*kib))
	}
	mustRelease(t, c, drop...)
	mustCheck(t, c)
	discards := up.Discards()
	if bytes := discards * 448 * kib; bytes < 20*mib {
		t.Errorf("%d discards while %d bytes are idle under a bound of 4 MiB", discards, c.Idle())
	}
	if err := c.Drain(); err != nil {
		t.Fatal(err)
	}
	if up.Discards() == discards {
		t.Error("Drain discarded nothing")
	}
	mustCheck(t, c)
	for _, s := range keep {
		segtest.Fill(mustCommit(t, c, s), 1)
	}
	mustRelease(t, c, keep...)
	mustDrain(t, c, up)
}

func TestCacheLeavesFreshPagesAlone(t *testing.T) {
	c, up := newCache(4 * mib)
	s := mustAcquire(t, c, 64*kib)
	if err := c.Drain(); err != nil || up.Discards() != 0 {
		t.Errorf("%d discards (%v) where nothing was ever released", up.Discards(), err)
	}
	if s := mustAcquire(t, c, 64*kib); !s.Zeroed {
		t.Error("Drain has made fresh pages dirty")
	}
	mustRelease(t, c, s)
}

// hooked calls functions before every Discard and instead of every Resize.
type hooked struct {
	segment.Provider
	discard func(n int)
	resize  func()
}

func (h *hooked) Resize(s segment.Segment, _, _ int, _ bool) (segment.Segment, error) {
	h.resize()
	return s, errors.ErrUnsupported
}

func (h *hooked) Discard(s segment.Segment, off, n int) error {
	h.discard(n)
	return segment.Discard(h.Provider, s, off, n)
}

// What the cache is discarding is nobody's: it cannot be released again, nor
// handed out. What was never used is not discarded.
func TestCacheHidesWhatItDiscards(t *testing.T) {
	up := &hooked{Provider: segtest.Paged(segment.Heap(), segment.Granule)}
	c := segment.NewCache(up, 16*mib)
	var keep, drop []segment.Segment
	for range 4 {
		keep = append(keep, mustAcquire(t, c, 64*kib))
		drop = append(drop, mustAcquire(t, c, 64*kib))
	}
	mustRelease(t, c, drop...)
	discards := 0
	up.discard = func(n int) {
		discards++
		if n != 64*kib {
			t.Errorf("%d bytes discarded, of which only 64 KiB were ever used", n)
		}
		for _, s := range drop[discards-1:] { // those before are back
			if err := c.Release(s); !errors.Is(err, segment.ErrForeign) {
				t.Errorf("Release while discarding: %v", err)
			}
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
	if err := c.Drain(); err != nil || discards != len(drop) {
		t.Errorf("%d discards, %v", discards, err)
	}
	mustCheck(t, c)
	mustRelease(t, c, keep...)
}

// While the upstream resizes a mapping, its old addresses may become another's.
func TestCacheForgetsWhatIsResized(t *testing.T) {
	up := &hooked{Provider: segment.Heap()}
	c := segment.NewCache(up, 16*mib)
	s := mustAcquire(t, c, 2*mib)
	calls := 0
	up.resize = func() {
		calls++
		if err := c.Check(); err != nil {
			t.Error(err)
		}
		if n := c.Stats().Mappings; n != 0 || c.Held() != 2*mib {
			t.Errorf("%d mappings known, %d bytes held", n, c.Held())
		}
		if err := c.Release(s); !errors.Is(err, segment.ErrForeign) {
			t.Errorf("Release while resizing: %v", err)
		}
	}
	if _, err := c.Resize(s, 4*mib, 4*mib, false); !errors.Is(err, errors.ErrUnsupported) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	mustCheck(t, c)
	mustRelease(t, c, s)
}

func TestCacheServesFromIdleWhenUpstreamFails(t *testing.T) {
	up := segment.FailingFrom(segment.OS(), 2)
	c := segment.NewCache(up, 64*mib)
	mustRelease(t, c, mustAcquire(t, c, mib))
	s, err := c.Acquire(64*kib, 32*mib)
	if err != nil || s.Size != mib {
		t.Fatalf("%d bytes, %v; want the idle megabyte", s.Size, err)
	}
	if _, err := c.Acquire(64*kib, 64*kib); !errors.Is(err, segment.ErrNoMemory) {
		t.Errorf("nothing left: %v", err)
	}
	mustCheck(t, c)
	mustRelease(t, c, s)
}

// An upstream with room for one more segment, if only the idle ones went back.
func TestCacheDrainsForSpace(t *testing.T) {
	up := segment.Counting(segment.Fixed(make([]byte, mib)))
	c := segment.NewCache(up, 4*mib)
	mustRelease(t, c, mustAcquire(t, c, 64*kib))
	if up.Bytes() == 0 {
		t.Fatal("nothing was kept")
	}
	s := mustAcquire(t, c, mib-16*kib)
	mustCheck(t, c)
	mustRelease(t, c, s)
	mustDrain(t, c, up)
}

// Drain reaches the cache beneath decorators and another cache.
func TestDrainReachesThrough(t *testing.T) {
	source := segment.Counting(segment.Heap())
	lower := segment.NewCache(source, 16*mib)
	p := segtest.NewLedger(segment.Failing(segment.Counting(segment.NewCache(lower, 16*mib)), 0))
	mustRelease(t, p, mustAcquire(t, p, 64*kib))
	if source.Bytes() == 0 {
		t.Fatal("nothing was kept")
	}
	if err := segment.Drain(p); err != nil || source.Bytes() != 0 || lower.Held() != 0 {
		t.Errorf("%d bytes kept, %v", source.Bytes(), err)
	}
	if err := segment.Drain(segment.Heap()); err != nil {
		t.Errorf("a source that keeps nothing: %v", err)
	}
}
