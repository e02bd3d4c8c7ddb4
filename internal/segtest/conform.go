package segtest

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// Traits says what a provider under test cannot do, and which of the abilities that
// many lack it has.
type Traits struct {
	Single bool // it has one segment only
	Limit  int  // bytes it can serve at once; 0 is plenty
	Untold bool // it gives more than it tells
	Joins  bool // it joins and splits its segments
}

// Conform tests p against the contract of segment.Provider: bounds, impossible
// sizes, contents, zeroes, releases in any order, the optional abilities, and
// use by several goroutines. All that was acquired has been released at its end.
func Conform(t *testing.T, p segment.Provider, traits Traits) {
	if traits.Limit == 0 {
		traits.Limit = 64 << 20
	}
	books := NewLedger(p)
	c := conform{books, p, traits}
	t.Run("sizes", c.sizes)
	t.Run("impossible", c.impossible)
	t.Run("wish", c.wish)
	t.Run("zeroed", c.zeroed)
	t.Run("foreign", c.foreign)
	t.Run("discard", c.discard)
	t.Run("resize", c.resize)
	t.Run("join", c.join)
	if !traits.Single {
		t.Run("order", c.order)
		t.Run("concurrent", c.concurrent)
	}
	books.Settled(t)
}

type conform struct {
	p      segment.Provider // the ledger over bare
	bare   segment.Provider // for what the ledger would take amiss
	traits Traits
}

// Seed returns the seed for random tests: that of the environment variable
// COOKMEM_SEED, or a new one. It is logged, so that a failure tells it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("COOKMEM_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("COOKMEM_SEED=%d", seed)
	return seed
}

// acquire returns a committed segment that was checked.
func (c conform) acquire(t testing.TB, min, max int) segment.Segment {
	t.Helper()
	s, err := c.p.Acquire(min, max)
	if err != nil {
		t.Fatalf("Acquire(%d, %d): %v", min, max, err)
	}
	if s.Base == nil || s.Size < min {
		t.Fatalf("Acquire(%d, %d) = %d bytes at %p", min, max, s.Size, s.Base)
	}
	if a := raw.AddrOf(s.Base); a%16 != 0 || a+raw.Addr(s.Size) < a {
		t.Fatalf("Acquire(%d, %d) = %d bytes at %#x", min, max, s.Size, a)
	}
	if most := segment.Most(c.p, min, max); s.Size > most && !c.traits.Untold {
		t.Fatalf("Acquire(%d, %d) = %d bytes, where %d were told to be the most", min, max, s.Size, most)
	}
	if err := segment.Commit(c.p, s, 0, s.Size); err != nil {
		t.Fatalf("Commit(%d bytes): %v", s.Size, err)
	}
	if s.Zeroed && !All(s, 0) {
		t.Fatalf("Acquire(%d, %d): not zero as told", min, max)
	}
	return s
}

func (c conform) release(t testing.TB, s segment.Segment) {
	t.Helper()
	if err := c.p.Release(s); err != nil {
		t.Fatalf("Release(%d bytes): %v", s.Size, err)
	}
}

func (c conform) sizes(t *testing.T) {
	for _, r := range [][2]int{
		{1, 1}, {1, 15}, {16, 16}, {17, 17}, {1, 4096}, {4095, 4097}, {4096, 4096}, {4097, 8191},
		{16 << 10, 1 << 20}, {65535, 65537}, {100_000, 100_000}, {1 << 20, 1 << 20}, {1<<20 + 1, 3 << 20},
	} {
		if r[0] > c.traits.Limit {
			continue
		}
		s := c.acquire(t, r[0], r[1])
		Fill(s, 0x5A)
		if !All(s, 0x5A) {
			t.Errorf("Acquire(%d, %d): contents do not last", r[0], r[1])
		}
		c.release(t, s)
	}
}

// refuses checks that a request that cannot be served is refused as it should.
func (c conform) refuses(t testing.TB, min, max int) {
	t.Helper()
	s, err := c.p.Acquire(min, max)
	if err == nil {
		t.Errorf("Acquire(%d, %d) = %d bytes, want an error", min, max, s.Size)
		c.release(t, s)
		return
	}
	if !errors.Is(err, segment.ErrNoMemory) && !errors.Is(err, segment.ErrLimit) {
		t.Errorf("Acquire(%d, %d): %v wraps neither ErrNoMemory nor ErrLimit", min, max, err)
	}
	if err.Error() == "" || s != (segment.Segment{}) {
		t.Errorf("Acquire(%d, %d) = %v, %q", min, max, s, err)
	}
}

func (c conform) impossible(t *testing.T) {
	for _, n := range []int{0, -1, -4096, math.MinInt, math.MaxInt, math.MaxInt - 1} {
		c.refuses(t, n, n)
	}
	c.refuses(t, 0, 4096)
	c.refuses(t, -1, 4096)
	c.refuses(t, 4097, 4096)
	c.refuses(t, 1, 0)
	c.refuses(t, 1, -1)
	c.refuses(t, math.MaxInt, 1)
	if math.MaxInt > math.MaxInt32 { // some 32-bit systems have half their addresses to give
		for _, n := range []int{4095, 4096, 65535, 65536, 1 << 20} {
			c.refuses(t, math.MaxInt-n, math.MaxInt-n)
			c.refuses(t, math.MaxInt-n, math.MaxInt)
		}
		c.refuses(t, math.MaxInt/2+1, math.MaxInt)
	}
	c.release(t, c.acquire(t, 64, 4096))
}

// wish asks for little and wishes for all there is.
func (c conform) wish(t *testing.T) {
	for _, max := range []int{math.MaxInt, math.MaxInt - 4095, 1 << 30} {
		s, err := c.p.Acquire(64, max)
		if err != nil {
			t.Fatalf("Acquire(64, %d): %v", max, err)
		}
		c.release(t, s)
	}
}

// zeroed dirties a segment and checks what it hears about the next one.
func (c conform) zeroed(t *testing.T) {
	for range 10 {
		s := c.acquire(t, 8192, 8192)
		Fill(s, 0xA5)
		c.release(t, s)
	}
}

func (c conform) foreign(t *testing.T) {
	if err := c.bare.Release(segment.Segment{}); err == nil {
		t.Error("Release of the zero Segment succeeded")
	}
}

func (c conform) discard(t *testing.T) {
	n := min(1<<20, c.traits.Limit)
	s := c.acquire(t, n, n)
	defer func() { c.release(t, s) }()
	Fill(s, 1)
	for _, bad := range [][2]int{{-1, 1}, {0, -1}, {0, s.Size + 1}, {s.Size + 1, 0}, {1, math.MaxInt}, {math.MaxInt, math.MaxInt}} {
		if segment.Discard(c.bare, s, bad[0], bad[1]) == nil {
			t.Errorf("Discard(%d, %d) of %d bytes succeeded", bad[0], bad[1], s.Size)
		}
	}
	// Partial pages at both ends keep their contents.
	err := segment.Discard(c.p, s, 1, s.Size-2)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("Discard: %v", err)
	}
	b := raw.Bytes(raw.AddrOf(s.Base), uintptr(s.Size))
	if b[0] != 1 || b[s.Size-1] != 1 {
		t.Errorf("Discard took partial pages: %d %d", b[0], b[s.Size-1])
	}
	Fill(s, 2)
	if !All(s, 2) {
		t.Error("discarded memory does not hold")
	}
}

func (c conform) resize(t *testing.T) {
	s := c.acquire(t, min(256<<10, c.traits.Limit), min(256<<10, c.traits.Limit))
	defer func() { c.release(t, s) }()
	Fill(s, 7)
	for _, n := range []int{s.Size / 2, s.Size, s.Size * 8, s.Size / 4} {
		for _, fixed := range []bool{true, false} {
			s = c.resized(t, s, n, fixed)
		}
	}
	s = c.resizedWithin(t, s)
	for _, bad := range [][2]int{{0, 0}, {-1, -1}, {math.MaxInt, math.MaxInt}, {2, 1}} {
		if r, err := segment.Resize(c.p, s, bad[0], bad[1], false); err == nil || r.Base != s.Base || r.Size != s.Size {
			t.Errorf("Resize(%d, %d) = %v, %v", bad[0], bad[1], r, err)
		}
	}
}

// resizedWithin tries to let s grow, in place and not, beside another segment, which
// must be as it was, and where there is room for a unit of 64 KiB requires a size
// within the range.
func (c conform) resizedWithin(t *testing.T, s segment.Segment) segment.Segment {
	if c.traits.Single || c.traits.Limit < 8*s.Size {
		return s
	}
	other := c.acquire(t, 100_000, 100_000)
	defer func() { c.release(t, other) }()
	Fill(other, 3)
	for i := range 6 {
		least, most := s.Size+4096, s.Size+4096+64<<10
		r, err := segment.Resize(c.p, s, least, most, i%2 == 0)
		if err == nil && (r.Size < least || r.Size > most) {
			t.Errorf("Resize to %d to %d bytes = %d", least, most, r.Size)
		}
		if err != nil && (r.Base != s.Base || r.Size != s.Size) {
			t.Fatalf("failed Resize of %v: %v", s, r)
		}
		if err == nil {
			err = segment.Commit(c.p, r, 0, r.Size)
			if err != nil || !All(segment.Segment{Base: r.Base, Size: s.Size}, 7) {
				t.Fatalf("Resize from %d to %d lost contents, or %v", s.Size, r.Size, err)
			}
			Fill(r, 7)
		}
		s = r
	}
	if !All(other, 3) {
		t.Error("Resize has overwritten another segment")
	}
	return s
}

// resized tries to bring s, which is full of sevens, to n bytes.
func (c conform) resized(t *testing.T, s segment.Segment, n int, fixed bool) segment.Segment {
	r, err := segment.Resize(c.p, s, n, n, fixed)
	if err != nil {
		if r.Base != s.Base || r.Size != s.Size {
			t.Fatalf("failed Resize to %d: %v", n, r)
		}
		return s
	}
	if a := raw.AddrOf(r.Base); r.Size < n || a%16 != 0 || fixed && r.Base != s.Base {
		t.Fatalf("Resize of %v to %d, fixed %t = %v", s, n, fixed, r)
	}
	if r.Zeroed {
		t.Fatalf("Resize to %d: told to be zero, and is full of sevens", n)
	}
	kept := segment.Segment{Base: r.Base, Size: min(s.Size, r.Size)}
	if err := segment.Commit(c.p, r, 0, r.Size); err != nil {
		t.Fatal(err)
	}
	if !All(kept, 7) {
		t.Fatalf("Resize from %d to %d lost contents", s.Size, r.Size)
	}
	Fill(r, 7)
	return r
}

// join cuts a segment and makes it whole again. At the end its parts are released one
// by one.
func (c conform) join(t *testing.T) {
	const n = 64 << 10
	s := c.acquire(t, 4*n, 4*n)
	Fill(s, 7)
	for range 2 {
		front, rest := c.split(t, s, n)
		if !c.traits.Joins {
			c.release(t, s)
			return
		}
		for _, bad := range [][2]segment.Segment{{rest, front}, {front, front}, {front, {}}, {{}, rest}} {
			if r, err := segment.Join(c.bare, bad[0], bad[1]); err == nil || r != bad[0] {
				t.Errorf("Join(%v, %v) = %v, %v", bad[0], bad[1], r, err)
			}
		}
		Fill(front, 1)
		Fill(rest, 2)
		s = c.whole(t, front, rest)
		Fill(s, 7)
		s = c.resized(t, s, 8*n, false)
		s = c.resized(t, s, 4*n, true)
	}
	front, rest := c.split(t, s, n)
	rest, last := c.split(t, rest, n)
	c.release(t, rest)
	if !All(front, 7) || !All(last, 7) {
		t.Error("the release of a part has changed the others")
	}
	c.release(t, last)
	c.release(t, front)
}

// split cuts s, which is full of sevens, after n bytes, and in vain elsewhere.
func (c conform) split(t *testing.T, s segment.Segment, n int) (front, rest segment.Segment) {
	for _, bad := range []int{math.MinInt, -n, 0, 1, n - 1, s.Size, s.Size + n, math.MaxInt} {
		if r, rest, err := segment.Split(c.p, s, bad); err == nil || r != s || rest != (segment.Segment{}) {
			t.Errorf("Split of %d bytes at %d = %v, %v, %v", s.Size, bad, r, rest, err)
		}
	}
	front, rest, err := segment.Split(c.p, s, n)
	if c.traits.Joins == (err != nil) || err != nil && (!errors.Is(err, errors.ErrUnsupported) || front != s) {
		t.Fatalf("Split(%d) = %v, %v, %v", n, front, rest, err)
	}
	if err != nil {
		return front, rest
	}
	if front.Base != s.Base || front.Size != n || raw.AddrOf(rest.Base) != raw.AddrOf(s.Base)+raw.Addr(n) || rest.Size != s.Size-n {
		t.Fatalf("Split(%d) of %v = %v, %v", n, s, front, rest)
	}
	if front.Zeroed || rest.Zeroed || !All(front, 7) || !All(rest, 7) {
		t.Fatal("Split: contents are not as told")
	}
	return front, rest
}

// whole joins a segment full of ones and one full of twos.
func (c conform) whole(t *testing.T, a, b segment.Segment) segment.Segment {
	s, err := segment.Join(c.p, a, b)
	if err != nil || s.Base != a.Base || s.Size != a.Size+b.Size || s.Zeroed {
		t.Fatalf("Join(%v, %v) = %v, %v", a, b, s, err)
	}
	if !All(a, 1) || !All(b, 2) {
		t.Error("Join has changed the contents")
	}
	if err := segment.Discard(c.p, s, 1, s.Size-2); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Discard in what was joined: %v", err)
	}
	if err := segment.Commit(c.p, s, 0, s.Size); err != nil {
		t.Error(err)
	}
	return s
}

// order releases segments in random order and watches over their contents.
func (c conform) order(t *testing.T) {
	rng := rand.New(rand.NewPCG(Seed(t), 1))
	var out []segment.Segment
	for i := range 24 {
		n := 1 + rng.IntN(c.traits.Limit/1024)
		s := c.acquire(t, n, 2*n)
		Fill(s, byte(i))
		out = append(out, s)
	}
	for _, i := range rng.Perm(len(out)) {
		if !All(out[i], byte(i)) {
			t.Errorf("segment %d has been overwritten", i)
		}
		c.release(t, out[i])
	}
}

func (c conform) concurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 50 {
				n := 1 + (i*7919+g*104729)%50_000
				s, err := c.p.Acquire(n, 2*n)
				if err != nil {
					t.Errorf("Acquire(%d, %d): %v", n, 2*n, err)
					return
				}
				if err := segment.Commit(c.p, s, 0, s.Size); err != nil {
					t.Error(err)
				}
				Fill(s, byte(g))
				if !All(s, byte(g)) {
					t.Error("segment shared by two goroutines")
				}
				if err := c.p.Release(s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
