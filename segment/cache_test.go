package segment_test

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

const kib, mib = 1 << 10, 1 << 20

// mustAcquire returns a segment of exactly n bytes from c.
func mustAcquire(t testing.TB, p segment.Provider, n int) segment.Segment {
	t.Helper()
	s, err := p.Acquire(n, n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mustCommit returns s with all of it usable.
func mustCommit(t testing.TB, p segment.Provider, s segment.Segment) segment.Segment {
	t.Helper()
	if err := segment.Commit(p, s, 0, s.Size); err != nil {
		t.Fatal(err)
	}
	return s
}

func mustRelease(t testing.TB, p segment.Provider, ss ...segment.Segment) {
	t.Helper()
	for _, s := range ss {
		if err := p.Release(s); err != nil {
			t.Fatal(err)
		}
	}
}

// mustDrain empties c, whose segments are all released, into up.
func mustDrain(t testing.TB, c *segment.Cache, up *segment.Counter) {
	t.Helper()
	if err := c.Drain(); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, c)
	if up.Bytes() != 0 || c.Held() != 0 || c.Idle() != 0 {
		t.Fatalf("after Drain: upstream misses %d bytes, %d held, %d idle", up.Bytes(), c.Held(), c.Idle())
	}
}

func newCache(max int) (*segment.Cache, *segment.Counter) {
	up := segment.Counting(segment.OS())
	return segment.NewCache(up, max), up
}

func TestCacheRefusesForeignSegments(t *testing.T) {
	c, up := newCache(16 * mib)
	s := mustAcquire(t, c, 64*kib)
	other := mustAcquire(t, c, 64*kib)
	base := raw.AddrOf(s.Base)
	for name, bad := range map[string]segment.Segment{
		"zero":     {},
		"shorter":  {Base: s.Base, Size: s.Size - segment.Granule},
		"longer":   {Base: s.Base, Size: s.Size + segment.Granule},
		"interior": {Base: (base + segment.Granule).Pointer(), Size: segment.Granule},
		"idle":     {Base: (base + raw.Addr(2*s.Size)).Pointer(), Size: 64 * kib},
		"go":       mustAcquire(t, segment.Heap(), 64*kib),
	} {
		_, resizeErr := c.Resize(bad, 4096, 4096, false)
		for op, err := range map[string]error{
			"Release": c.Release(bad),
			"Discard": c.Discard(bad, 0, 0),
			"Commit":  c.Commit(bad, 0, 0),
			"Resize":  resizeErr,
		} {
			if !errors.Is(err, segment.ErrForeign) {
				t.Errorf("%s of a %s segment: %v", op, name, err)
			}
		}
		mustCheck(t, c)
	}
	mustRelease(t, c, s)
	if err := c.Release(s); !errors.Is(err, segment.ErrForeign) {
		t.Errorf("second Release: %v", err)
	}
	mustRelease(t, c, other)
	if err := c.Release(s); !errors.Is(err, segment.ErrForeign) {
		t.Errorf("Release after joining: %v", err)
	}
	mustDrain(t, c, up)
}

func TestCacheKeepsItsBound(t *testing.T) {
	c, up := newCache(8 * mib)
	var out []segment.Segment
	for range 32 {
		out = append(out, mustAcquire(t, c, mib))
	}
	mustRelease(t, c, out...)
	mustCheck(t, c)
	if c.Idle() > 8*mib || c.Idle() < 7*mib {
		t.Errorf("%d bytes idle under a bound of 8 MiB", c.Idle())
	}
	if up.Bytes() != c.Idle() {
		t.Errorf("%d bytes held, %d idle", up.Bytes(), c.Idle())
	}
	// The oldest went first, so the last one released must still be here.
	last := out[len(out)-1]
	again := map[raw.Addr]bool{}
	for range 8 {
		s := mustAcquire(t, c, mib)
		again[raw.AddrOf(s.Base)] = true
		defer mustRelease(t, c, s)
	}
	if up.Acquires() != 32 || !again[raw.AddrOf(last.Base)] {
		t.Errorf("%d mappings made; the youngest idle one kept: %t", up.Acquires(), again[raw.AddrOf(last.Base)])
	}
}

func TestCacheThatKeepsNothing(t *testing.T) {
	for _, max := range []int{0, -1} {
		up := segment.Counting(segment.Heap())
		c := segment.NewCache(up, max)
		s := mustAcquire(t, c, 5000)
		if up.Bytes() != 8*kib || s.Size != 8*kib {
			t.Errorf("max %d: %d bytes held for a segment of %d", max, up.Bytes(), s.Size)
		}
		mustRelease(t, c, s)
		if up.Bytes() != 0 {
			t.Errorf("max %d: %d bytes kept", max, up.Bytes())
		}
	}
}

// A small segment must not make a large idle mapping unfit for the next large
// request.
func TestCacheDoesNotPinLargeMappings(t *testing.T) {
	c, up := newCache(256 * mib)
	mustRelease(t, c, mustAcquire(t, c, 128*mib))
	small := mustAcquire(t, c, 16*kib)
	if c.Idle() < 128*mib {
		t.Error("16 KiB were carved from 128 MiB")
	}
	large := mustAcquire(t, c, 128*mib)
	if up.Acquires() != 2 {
		t.Errorf("%d mappings made, want the large one and one to carve from", up.Acquires())
	}
	mustRelease(t, c, small, large)
	mustDrain(t, c, up)
}

// On Windows neighbours go back as they came, and so they do wherever the upstream has
// no other way.
func TestCacheJoinsOnlyWithTheUpstream(t *testing.T) {
	up := segment.Counting(struct{ segment.Provider }{segment.OS()})
	c := segment.NewCache(up, 64*mib)
	var out []segment.Segment
	for range 16 { // neighbours, in all likelihood
		out = append(out, mustAcquire(t, c, mib))
	}
	mustRelease(t, c, out...)
	mustCheck(t, c)
	s := mustAcquire(t, c, 2*mib)
	if up.Acquires() != 17 {
		t.Errorf("2 MiB came out of mappings of 1 MiB")
	}
	mustRelease(t, c, s)
	mustDrain(t, c, up)
}

func TestCacheChoosesAmongIdle(t *testing.T) {
	c, up := newCache(64 * mib)
	a, b := mustAcquire(t, c, 2*mib), mustAcquire(t, c, 6*mib)
	mustRelease(t, c, a, b)
	for _, want := range []struct{ min, max, size, acquires int }{
		{mib, 3 * mib, 3 * mib, 2}, // the smallest that holds max
		{mib, 5 * mib, 3 * mib, 2}, // the largest, being more than half of max
		{mib, 5 * mib, 5 * mib, 3}, // only 2 MiB left: too little
	} {
		s, err := c.Acquire(want.min, want.max)
		if err != nil || s.Size != want.size || up.Acquires() != want.acquires {
			t.Errorf("Acquire(%d, %d) = %d bytes (%v) after %d mappings, want %d after %d",
				want.min, want.max, s.Size, err, up.Acquires(), want.size, want.acquires)
		}
		defer mustRelease(t, c, s)
	}
}

func TestCacheTellsZeroed(t *testing.T) {
	c, _ := newCache(64 * mib)
	a := mustCommit(t, c, mustAcquire(t, c, 64*kib))
	b := mustCommit(t, c, mustAcquire(t, c, 64*kib))
	if !a.Zeroed || !b.Zeroed {
		t.Error("fresh segments do not count as zero")
	}
	segtest.Fill(a, 1)
	mustRelease(t, c, a)
	if a = mustCommit(t, c, mustAcquire(t, c, 64*kib)); a.Zeroed {
		t.Error("a used segment counts as zero")
	}
	mustRelease(t, c, a, b)
	// Idle extents join over the boundary between used and fresh.
	if s := mustCommit(t, c, mustAcquire(t, c, 256*kib)); s.Zeroed || segtest.All(s, 0) {
		t.Error("a segment that was used in part counts as zero")
	}
	if s := mustCommit(t, c, mustAcquire(t, c, 256*kib)); !s.Zeroed || !segtest.All(s, 0) {
		t.Error("the fresh rest of a mapping does not count as zero")
	}
}

func TestCacheAlignsToGranule(t *testing.T) {
	c, _ := newCache(64 * mib)
	for n := 1; n < mib; n = n*3 + 1 {
		if s := mustAcquire(t, c, n); raw.AddrOf(s.Base)%segment.Granule != 0 || s.Size%segment.Granule != 0 {
			t.Errorf("%d bytes at %p", s.Size, s.Base)
		}
	}
}
