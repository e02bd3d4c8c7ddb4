package segment_test

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
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

func TestCacheNeverJoinsMappings(t *testing.T) {
	c, up := newCache(64 * mib)
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

func TestCase11_RepeatedSegments(t *testing.T) {
	c, up := newCache(64 * mib)
	for _, n := range []int{64, 4096, 256 * kib, 2 * mib} {
		for range 50_000 {
			mustRelease(t, c, mustAcquire(t, c, n))
		}
	}
	if up.Calls() >= 100 {
		t.Errorf("%d calls to the upstream", up.Calls())
	}
	mustDrain(t, c, up)
}

func TestCase12_AlternatingLargeSegments(t *testing.T) {
	c, up := newCache(1 << 30)
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	held := mustAcquire(t, c, mib)
	for range 10_000 {
		s := mustAcquire(t, c, (1+rng.IntN(30))*mib)
		mustRelease(t, c, held)
		held = s
	}
	mustCheck(t, c)
	mustRelease(t, c, held)
	if up.Calls() >= 100 {
		t.Errorf("%d calls to the upstream", up.Calls())
	}
	mustDrain(t, c, up)
}

func TestCase14_ReleaseFails(t *testing.T) {
	up := segtest.NewStuck(segment.OS())
	count := segment.Counting(up)
	c := segment.NewCache(count, 2*mib)
	var out []segment.Segment
	for range 10 {
		out = append(out, mustAcquire(t, c, mib))
	}
	mustRelease(t, c, out...)
	mustCheck(t, c)
	if up.Refused() == 0 || c.Held() != 10*mib || c.Idle() != 10*mib {
		t.Fatalf("%d releases refused, %d bytes held, %d idle", up.Refused(), c.Held(), c.Idle())
	}
	if up.Refused() > 10 {
		t.Errorf("%d releases tried for 10 segments", up.Refused())
	}
	if count.Discards() == 0 && hasPages() {
		t.Error("pages that could not go back were not discarded")
	}
	if err := c.Drain(); !errors.Is(err, segment.ErrNoMemory) {
		t.Errorf("Drain reports %v", err)
	}
	mustCheck(t, c)
	acquires := count.Acquires()
	s := mustAcquire(t, c, mib) // what is stuck is still good for use
	if count.Acquires() != acquires {
		t.Error("stuck memory was not used")
	}
	mustRelease(t, c, s)
	up.Heal()
	mustDrain(t, c, count)
}

// One of two neighbouring reservations goes; the other must stay readable.
func TestCase22_NeighbouringReservations(t *testing.T) {
	for name, p := range map[string]segment.Provider{
		"os":                   segment.OS(),
		"reserving":            segtest.Reserving(),
		"cache":                segment.NewCache(segment.OS(), 0),
		"cache over reserving": segment.NewCache(segtest.Reserving(), 0),
	} {
		t.Run(name, func(t *testing.T) {
			var out []segment.Segment
			for i := range 64 {
				s := mustAcquire(t, p, 64*kib)
				segtest.Fill(mustCommit(t, p, s), byte(i))
				out = append(out, s)
			}
			for first := range 2 {
				for i := first; i < len(out); i += 2 {
					if !segtest.All(out[i], byte(i)) {
						t.Errorf("segment %d has changed", i)
					}
					mustRelease(t, p, out[i])
				}
			}
		})
	}
}

func TestCase30_ManySmallSegments(t *testing.T) {
	count := 100_000
	if bits.UintSize == 32 || runtime.GOARCH == "wasm" {
		count = 20_000 // of 4 GiB of addresses
	}
	c, up := newCache(64 * mib)
	out := make([]segment.Segment, count)
	for i := range out {
		out[i] = mustAcquire(t, c, 16*kib)
	}
	if most := count*16*kib/segment.CarveSize + 1; up.Acquires() > most {
		t.Errorf("%d mappings for %d segments, want at most %d", up.Acquires(), count, most)
	}
	for i := 0; i < count; i += 2 {
		mustRelease(t, c, out[i])
	}
	if err := c.Drain(); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, c)
	if s := c.Stats(); s.Segments != count/2 || s.InUse != count/2*16*kib {
		t.Errorf("%+v", s)
	}
	for i := 1; i < count; i += 2 {
		mustRelease(t, c, out[i])
	}
	mustDrain(t, c, up)
}

// The race detector sees Go memory only, hence the upstream.
func TestCacheConcurrent(t *testing.T) {
	for _, max := range []int{0, mib, 64 * mib} {
		for _, source := range []segment.Provider{segment.Heap(), segtest.Paged(segment.Heap(), segment.Granule)} {
			up := segment.Counting(source)
			c := segment.NewCache(up, max)
			books := segtest.NewLedger(c)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() { hammer(t, c, books, byte(g+1)) })
			}
			wg.Wait()
			books.Settled(t)
			mustDrain(t, c, up)
		}
	}
}

// hammer uses the cache in all ways, and its memory for a mark.
func hammer(t *testing.T, c *segment.Cache, p segment.Provider, mark byte) {
	rng := rand.New(rand.NewPCG(uint64(mark), 0))
	var out []segment.Segment
	for i := range 300 {
		n := 1 + rng.IntN(100_000)
		s, err := p.Acquire(n, 2*n)
		if err != nil {
			t.Error(err)
			return
		}
		segtest.Fill(s, mark)
		if out = append(out, s); len(out) > 8 {
			j := rng.IntN(len(out))
			if !segtest.All(out[j], mark) {
				t.Error("segment shared by two goroutines")
			}
			if err := p.Release(out[j]); err != nil {
				t.Error(err)
			}
			out = append(out[:j], out[j+1:]...)
		}
		switch i % 100 {
		case 33:
			if err := c.Drain(); err != nil {
				t.Error(err)
			}
		case 66:
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		case 99:
			j := rng.IntN(len(out))
			if r, err := segment.Resize(p, out[j], 4096, 4096, true); err == nil {
				out[j] = r
			}
		}
	}
	for _, s := range out {
		if err := p.Release(s); err != nil {
			t.Error(err)
		}
	}
}

func TestCacheDoesNotAllocate(t *testing.T) {
	c, _ := newCache(64 * mib)
	pair := func() { mustRelease(t, c, mustAcquire(t, c, 16*kib)) }
	pair()
	if n := testing.AllocsPerRun(1000, pair); n != 0 {
		t.Errorf("%v Go allocations for a segment from a warm cache", n)
	}
}

func TestDefaultIsShared(t *testing.T) {
	if segment.Default() != segment.Default() {
		t.Error("two default caches")
	}
	s := mustAcquire(t, segment.Default(), 16*kib)
	mustRelease(t, segment.Default(), s)
	mustCheck(t, segment.Default())
}
