package segment_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

func TestOSSizes(t *testing.T) {
	if !hasPages() {
		t.Skip("this system gives no pages")
	}
	page := os.Getpagesize()
	for _, r := range [][2]int{{1, 1}, {page, page}, {page + 1, 2*page - 1}, {1, 10*page + 5}, {256 << 10, 1 << 20}} {
		s, err := segment.OS().Acquire(r[0], r[1])
		if err != nil {
			t.Fatal(err)
		}
		if s.Size%page != 0 || raw.AddrOf(s.Base)%raw.Addr(page) != 0 || !s.Zeroed {
			t.Errorf("Acquire(%d, %d) = %v", r[0], r[1], s)
		}
		if s.Size > r[1] && s.Size-r[0] >= 64<<10 {
			t.Errorf("Acquire(%d, %d) = %d bytes: more than rounding asks for", r[0], r[1], s.Size)
		}
		mustRelease(t, segment.OS(), s)
	}
}

func TestHeapSizes(t *testing.T) {
	for n := 1; n < 100_000; n += n/3 + 1 {
		s, err := segment.Heap().Acquire(n, n+16)
		if err != nil || s.Size < n || s.Size > n+16 || s.Size%16 != 0 {
			t.Errorf("Acquire(%d, %d) = %d bytes, %v", n, n+16, s.Size, err)
		}
	}
	s, err := segment.Heap().Acquire(1, math.MaxInt)
	if err != nil || s.Size > 64<<20 {
		t.Errorf("a wish for everything got %d bytes, %v", s.Size, err)
	}
}

func TestHeapRefusesWhatMakeWouldPanicAt(t *testing.T) {
	for _, n := range []int{math.MaxInt/2 + 2, math.MaxInt - 15, math.MaxInt} {
		if s, err := segment.Heap().Acquire(n, n); !errors.Is(err, segment.ErrNoMemory) {
			t.Errorf("Acquire(%d) = %d bytes, %v", n, s.Size, err)
		}
	}
}

func TestFixed(t *testing.T) {
	buf := make([]byte, 1000)
	for off := range 17 {
		p := segment.Fixed(buf[off:])
		s, err := p.Acquire(1, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		start, end := raw.AddrOf(s.Base), raw.AddrOf(s.Base)+raw.Addr(s.Size)
		segtest.Fill(s, 0xFF) // checkptr sees it if this is outside of buf
		if start%16 != 0 || s.Size < len(buf)-off-15 || s.Zeroed {
			t.Errorf("offset %d: %d bytes at %#x", off, s.Size, start)
		}
		if got := len(buf) - off - s.Size; got < 0 || end < start {
			t.Errorf("offset %d: %d bytes of a buffer of %d", off, s.Size, len(buf)-off)
		}
		if s, err := p.Acquire(1, 1); !errors.Is(err, segment.ErrNoMemory) {
			t.Errorf("second Acquire = %v, %v", s, err)
		}
		for _, bad := range []segment.Segment{{}, {Base: s.Base, Size: 16}, {Base: (start + 16).Pointer(), Size: s.Size}} {
			if err := p.Release(bad); !errors.Is(err, segment.ErrForeign) {
				t.Errorf("Release(%v): %v", bad, err)
			}
		}
		mustRelease(t, p, s)
		if err := p.Release(s); !errors.Is(err, segment.ErrForeign) {
			t.Errorf("second Release: %v", err)
		}
		if again, err := p.Acquire(100, 200); err != nil || again != s {
			t.Errorf("Acquire(100, 200) = %v, %v, want all of the buffer, %v", again, err, s)
		}
	}
}

// TestFixedInPieces takes pieces of exact sizes, and a range as the rest, and
// releases them in every order. Then the whole buffer must be there again.
func TestFixedInPieces(t *testing.T) {
	buf := make([]byte, 1000)
	p := segment.Fixed(buf)
	whole, err := p.Acquire(1, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	mustRelease(t, p, whole)
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	for range 100 {
		books := segtest.NewLedger(p)
		var out []segment.Segment
		for _, n := range []int{100, 1, 16, 17, 333} {
			s := mustAcquire(t, books, n)
			if s.Size != n || raw.AddrOf(s.Base)%16 != 0 {
				t.Errorf("Acquire(%d, %d) = %d bytes at %p", n, n, s.Size, s.Base)
			}
			segtest.Fill(s, byte(len(out)))
			out = append(out, s)
		}
		rest, err := books.Acquire(1, 2)
		if err != nil || rest.Size < whole.Size-(100+1+16+17+333+4*15) {
			t.Errorf("the rest is %d bytes, %v", rest.Size, err)
		}
		segtest.Fill(rest, byte(len(out)))
		out = append(out, rest)
		if s, err := books.Acquire(16, 16); err == nil {
			t.Errorf("16 bytes at %p beside the rest", s.Base)
		}
		for _, i := range rng.Perm(len(out)) {
			if !segtest.All(out[i], byte(i)) {
				t.Errorf("piece %d has been overwritten", i)
			}
			mustRelease(t, books, out[i])
			if rng.IntN(2) == 0 { // what came back serves again at once
				again := mustAcquire(t, books, out[i].Size)
				segtest.Fill(again, 0xEE)
				mustRelease(t, books, again)
			}
		}
		books.Settled(t)
		if s, err := p.Acquire(whole.Size, whole.Size); err != nil {
			t.Fatal(err)
		} else {
			mustRelease(t, p, s)
		}
	}
}

// TestFixedUnderCache serves nearly all of a buffer through a cache.
func TestFixedUnderCache(t *testing.T) {
	const size = 4 << 20
	c := segment.NewCache(segment.Fixed(make([]byte, size)), size)
	for _, n := range []int{16 << 10, 300 << 10} {
		var out []segment.Segment
		for bytes := 0; ; bytes += n {
			s, err := c.Acquire(n, n)
			if err != nil {
				if bytes < size-n-4096 {
					t.Errorf("segments of %d bytes: %v after %d", n, err, bytes)
				}
				break
			}
			out = append(out, s)
		}
		mustRelease(t, c, out...)
		mustCheck(t, c)
	}
}

func TestFixedTooSmall(t *testing.T) {
	for _, buf := range [][]byte{nil, {}, make([]byte, 1), make([]byte, 100)} {
		p := segment.Fixed(buf)
		if s, err := p.Acquire(len(buf)+1, math.MaxInt); !errors.Is(err, segment.ErrNoMemory) {
			t.Errorf("%d bytes: Acquire = %v, %v", len(buf), s, err)
		}
		if p.Release(segment.Segment{}) == nil {
			t.Errorf("%d bytes: Release of nothing succeeded", len(buf))
		}
	}
}

// A buffer that could lie on a goroutine's stack must not: the stack moves.
func TestCase28_BufferEscapes(t *testing.T) {
	done := make(chan bool)
	go func() {
		var buf [4096]byte
		p := segment.Fixed(buf[:])
		s, err := p.Acquire(1024, 4096)
		if err != nil {
			t.Error(err)
		}
		segtest.Fill(s, 0x77)
		growStack(1000)
		done <- segtest.All(s, 0x77) && buf[1024] == 0x77
	}()
	if !<-done {
		t.Error("segment and buffer are no longer the same")
	}
}

//go:noinline
func growStack(depth int) byte {
	var frame [1024]byte
	if depth > 0 {
		frame[depth%1024] = growStack(depth - 1)
	}
	return frame[depth%7]
}

func TestCounter(t *testing.T) {
	nth := 6
	if _, ok := segment.CommitterOf(segment.OS()); ok {
		nth = 7 // only a commit that is needed goes upstream
	}
	fail := segment.FailingFrom(segment.OS(), nth)
	c := segment.Counting(fail)
	a := mustAcquire(t, c, 1<<20)
	b := mustAcquire(t, c, 2<<20)
	mustRelease(t, c, a)
	discards := 1
	if err := c.Discard(b, 0, b.Size); err != nil {
		discards = 0
	}
	if err := c.Commit(b, 0, b.Size); err != nil {
		t.Error(err)
	}
	b2, err := c.Resize(b, b.Size/2, b.Size/2, true)
	resizes := 0
	if err == nil {
		resizes, b = 1, b2
	}
	if _, err := c.Acquire(1, 1); err == nil {
		t.Errorf("call %d did not fail", nth)
	}
	fail.Heal()
	want := map[string][2]int{
		"acquires":  {2, c.Acquires()},
		"releases":  {1, c.Releases()},
		"discards":  {discards, c.Discards()},
		"commits":   {1, c.Commits()},
		"resizes":   {resizes, c.Resizes()},
		"failures":  {3 - resizes - discards, c.Failures()},
		"calls":     {7, c.Calls()},
		"bytes":     {b.Size, c.Bytes()},
		"peakbytes": {3 << 20, c.PeakBytes()},
	}
	for name, v := range want {
		if v[0] != v[1] {
			t.Errorf("%s: want %d, got %d", name, v[0], v[1])
		}
	}
	mustRelease(t, c, b)
	if c.Bytes() != 0 || c.PeakBytes() != 3<<20 {
		t.Errorf("at the end %d bytes live, %d at the peak", c.Bytes(), c.PeakBytes())
	}
}

func TestFailerCountsEveryCall(t *testing.T) {
	calls := []func(segment.Provider, segment.Segment) error{
		func(p segment.Provider, s segment.Segment) error { return segment.Discard(p, s, 0, s.Size) },
		func(p segment.Provider, s segment.Segment) error { return p.(segment.Committer).Commit(s, 0, s.Size) },
		func(p segment.Provider, s segment.Segment) error {
			_, err := segment.Resize(p, s, s.Size, s.Size, true)
			return err
		},
		func(p segment.Provider, _ segment.Segment) error {
			s, err := p.Acquire(1, 1)
			if err == nil {
				err = p.Release(s)
			}
			return err
		},
	}
	for nth := range 7 {
		once, from := segment.Failing(segment.OS(), nth), segment.FailingFrom(segment.OS(), nth)
		for _, f := range []*segment.Failer{once, from} {
			injected := 0
			s := mustAcquire(t, segment.OS(), 65536)
			for _, call := range calls {
				if err := call(f, s); err != nil && strings.Contains(err.Error(), "injected failure") {
					injected++
					if !errors.Is(err, segment.ErrNoMemory) {
						t.Error(err)
					}
				}
			}
			if f.Failed() != (nth > 0 && nth <= f.Calls()) || f.Failed() != (injected > 0) {
				t.Errorf("nth %d of %d calls: failed %t, %d failures", nth, f.Calls(), f.Failed(), injected)
			}
			if f == once && injected > 1 || f == from && nth > 0 && nth <= 3 && injected != 5-nth {
				t.Errorf("nth %d: %d failures in %d calls", nth, injected, f.Calls())
			}
			f.Heal()
			mustRelease(t, f, s)
		}
	}
}

// Whether a commit is needed is the source's affair, seen through any stack of
// decorators.
func TestCommitterOf(t *testing.T) {
	wrap := func(p segment.Provider) segment.Provider {
		chain := segment.Chain(segment.Null(), segment.NewBudget("b", p, 1<<20))
		return segment.Counting(segment.Failing(segment.NewCache(segtest.NewLedger(chain), 1<<20), 0))
	}
	_, system := segment.CommitterOf(segment.OS())
	for _, c := range []struct {
		name string
		p    segment.Provider
		want bool
	}{
		{"heap", segment.Heap(), false},
		{"fixed", segment.Fixed(nil), false},
		{"null", segment.Null(), false},
		{"os", segment.OS(), system},
		{"reserving", reserves{segment.Heap()}, true},
	} {
		for _, p := range []segment.Provider{c.p, wrap(c.p), wrap(wrap(c.p))} {
			got, ok := segment.CommitterOf(p)
			if ok != c.want || ok != (got != nil) {
				t.Errorf("%s as %T: needs a commit: %t", c.name, p, ok)
			}
		}
	}
}

// reserves needs commits, by its word.
type reserves struct{ segment.Provider }

func (reserves) Commit(segment.Segment, int, int) error { return nil }

func TestOptionalAbilitiesAbsent(t *testing.T) {
	p := segment.Heap()
	s := mustAcquire(t, p, 4096)
	if r, err := segment.Resize(p, s, 1, 1, false); !errors.Is(err, errors.ErrUnsupported) || r != s {
		t.Errorf("Resize = %v, %v", r, err)
	}
	if err := segment.Discard(p, s, 0, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Discard: %v", err)
	}
	if err := segment.Commit(p, s, 0, 1); err != nil {
		t.Errorf("Commit: %v", err)
	}
}

func TestErrorsNameTheirSource(t *testing.T) {
	_, err := segment.Null().Acquire(100, 200)
	if got, want := err.Error(), "segment: null: acquire 100 to 200 bytes: out of memory"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	_, err = segment.Failing(segment.OS(), 1).Acquire(100, 100)
	if got, want := err.Error(), "segment: failing: acquire 100 bytes: out of memory: injected failure"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	err = segment.Null().Release(segment.Segment{})
	if got, want := err.Error(), "segment: null: release: not a segment of this provider"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
