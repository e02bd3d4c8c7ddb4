package segment_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// model is a cache beside a plain list of what is out. Every segment is full of
// its own mark, so that overlaps show.
type model struct {
	cache *segment.Cache
	up    *segment.Counter
	books *segtest.Ledger // between the cache and its user
	out   []marked
	next  byte
	inUse int // bytes
}

type marked struct {
	s    segment.Segment
	mark byte
}

func newModel(up segment.Provider, max int) *model {
	m := &model{up: segment.Counting(up)}
	m.cache = segment.NewCache(m.up, max).JoinFrom(0)
	m.books = segtest.NewLedger(m.cache)
	return m
}

// step does one operation, chosen by op, with arguments derived from a and b.
// It returns what the cache did wrong. That the upstream fails is not wrong.
func (m *model) step(op byte, a, b uint16) error {
	size := 1 + int(a)<<(b%4)
	var err error
	switch op % 12 {
	case 0, 1, 2:
		err = m.acquire(size, size+int(b)*8)
	case 3:
		err = m.release(int(a))
	case 4:
		err = m.releaseMany(int(a), int(b))
	case 5:
		err = m.resize(int(a), 1+int(b)*32, b%3 == 0)
	case 6:
		err = m.discard(int(a), int(b))
	case 7:
		_ = m.cache.Drain() // whether it fails is the upstream's affair
	case 8:
		err = m.split(int(a), int(b))
	case 9:
		err = m.join(int(a))
	case 10, 11: // mappings of their own, or several that lie side by side
		size = (1 + int(a)%12) * 256 * kib
		err = m.acquire(size, size+int(b)*64)
	}
	return errors.Join(err, m.check())
}

func (m *model) acquire(min, max int) error {
	s, err := m.books.Acquire(min, max)
	if err != nil {
		return upstreamsFault(err)
	}
	m.next++
	e := marked{s, m.next}
	if err := segment.Commit(m.books, s, 0, s.Size); err != nil {
		return errors.Join(upstreamsFault(err), m.books.Release(s))
	}
	if s.Zeroed && !segtest.All(s, 0) {
		return fmt.Errorf("%d bytes at %p are not zero as told", s.Size, s.Base)
	}
	segtest.Fill(s, e.mark)
	m.out = append(m.out, e)
	m.inUse += s.Size
	return nil
}

func (m *model) release(i int) error {
	if len(m.out) == 0 {
		return nil
	}
	i %= len(m.out)
	e := m.out[i]
	m.out[i] = m.out[len(m.out)-1]
	m.out = m.out[:len(m.out)-1]
	m.inUse -= e.s.Size
	if !segtest.All(e.s, e.mark) {
		return fmt.Errorf("%d bytes at %p have been overwritten", e.s.Size, e.s.Base)
	}
	return m.books.Release(e.s)
}

// releaseMany releases every second, third or so of what is out, or all, now and then
// in the order of addresses.
func (m *model) releaseMany(first, every int) error {
	var ss []segment.Segment
	var marks []marked
	for i := first % 3; i < len(m.out); i += 1 + every%5 {
		marks = append(marks, m.out[i])
		ss = append(ss, m.out[i].s)
		if !segtest.All(m.out[i].s, m.out[i].mark) {
			return fmt.Errorf("%d bytes at %p have been overwritten", m.out[i].s.Size, m.out[i].s.Base)
		}
	}
	if every%2 == 0 {
		slices.SortFunc(ss, func(a, b segment.Segment) int { return cmp.Compare(uintptr(a.Base), uintptr(b.Base)) })
	}
	refused, err := segment.ReleaseMany(m.books, ss)
	for _, e := range marks {
		m.inUse -= e.s.Size
	}
	m.out = slices.DeleteFunc(m.out, func(e marked) bool { return slices.Contains(marks, e) })
	if len(refused) > 0 {
		return fmt.Errorf("%d segments refused: %w", len(refused), err)
	}
	return err
}

func (m *model) resize(i, n int, fixed bool) error {
	if len(m.out) == 0 {
		return nil
	}
	e := &m.out[i%len(m.out)]
	s, err := segment.Resize(m.books, e.s, n, n, fixed)
	if err != nil {
		return upstreamsFault(err)
	}
	kept := segment.Segment{Base: s.Base, Size: min(e.s.Size, s.Size)}
	m.inUse += s.Size - e.s.Size
	e.s = s
	if err := segment.Commit(m.books, s, 0, s.Size); err != nil {
		return errors.Join(upstreamsFault(err), m.abandonGrowth(e, s))
	}
	if !segtest.All(kept, e.mark) || fixed && s.Base != kept.Base {
		return fmt.Errorf("resize to %d bytes lost contents", n)
	}
	segtest.Fill(s, e.mark)
	return nil
}

// split cuts a segment, somewhere if at is even.
func (m *model) split(i, at int) error {
	if len(m.out) == 0 {
		return nil
	}
	e := &m.out[i%len(m.out)]
	if at %= e.s.Size; at%2 == 0 {
		at &^= segment.Granule - 1
	}
	front, rest, err := segment.Split(m.books, e.s, at)
	if err != nil {
		if at%segment.Granule == 0 && at != 0 {
			return fmt.Errorf("no cut of %d bytes at %d: %w", e.s.Size, at, err)
		}
		return nil
	}
	e.s = front
	m.out = append(m.out, marked{rest, e.mark})
	return nil
}

// join joins a segment with the one behind it, if that is out.
func (m *model) join(i int) error {
	if len(m.out) == 0 {
		return nil
	}
	i %= len(m.out)
	e := &m.out[i]
	next := func(o marked) bool { return raw.AddrOf(o.s.Base) == raw.AddrOf(e.s.Base)+raw.Addr(e.s.Size) }
	j := slices.IndexFunc(m.out, next)
	if j < 0 {
		return nil
	}
	s, err := segment.Join(m.books, e.s, m.out[j].s)
	if err != nil {
		return upstreamsFault(err)
	}
	if !segtest.All(e.s, e.mark) || !segtest.All(m.out[j].s, m.out[j].mark) {
		return errors.New("join lost contents")
	}
	e.s = s
	segtest.Fill(s, e.mark)
	m.out = slices.Delete(m.out, j, j+1)
	return nil
}

// abandonGrowth releases a segment whose new part could not be committed.
func (m *model) abandonGrowth(e *marked, s segment.Segment) error {
	*e = m.out[len(m.out)-1]
	m.out = m.out[:len(m.out)-1]
	m.inUse -= s.Size
	return m.books.Release(s)
}

func (m *model) discard(i, off int) error {
	if len(m.out) == 0 {
		return nil
	}
	e := m.out[i%len(m.out)]
	off %= e.s.Size
	if err := segment.Discard(m.books, e.s, off, e.s.Size-off); err != nil {
		return upstreamsFault(err)
	}
	if !segtest.All(segment.Segment{Base: e.s.Base, Size: off}, e.mark) {
		return errors.New("discard took what lies before its range")
	}
	segtest.Fill(e.s, e.mark)
	return nil
}

// check compares the cache with the list.
func (m *model) check() error {
	if err := errors.Join(m.cache.Check(), m.books.Err()); err != nil {
		return err
	}
	s := m.cache.Stats()
	if s.InUse != m.inUse || s.Segments != len(m.out) {
		return fmt.Errorf("%d bytes in %d segments are out, the cache says %d in %d", m.inUse, len(m.out), s.InUse, s.Segments)
	}
	if s.Held != m.up.Bytes() || s.Held < s.InUse+s.Idle {
		return fmt.Errorf("upstream gave %d bytes, the cache holds %d: %d in use, %d idle", m.up.Bytes(), s.Held, s.InUse, s.Idle)
	}
	return nil
}

// finish releases everything and requires that it all arrives upstream.
func (m *model) finish() error {
	for len(m.out) > 0 {
		if err := errors.Join(m.release(0), m.check()); err != nil {
			return err
		}
	}
	_ = m.cache.Drain() // one injected failure may be left
	if err := errors.Join(m.cache.Drain(), m.check()); err != nil {
		return err
	}
	if m.up.Bytes() != 0 || m.cache.Idle() != 0 {
		return fmt.Errorf("%d bytes did not go back, %d are idle", m.up.Bytes(), m.cache.Idle())
	}
	return nil
}

// upstreamsFault returns nil for errors that a cache may pass on.
func upstreamsFault(err error) error {
	if errors.Is(err, segment.ErrForeign) {
		return err
	}
	if errors.Is(err, segment.ErrNoMemory) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return fmt.Errorf("neither out of memory nor unsupported: %w", err)
}

// upstreams are what a cache is tested on.
var upstreams = []struct {
	name string
	make func() segment.Provider
}{
	{"os", segment.OS},
	{"heap", segment.Heap},
	{"pages of 64K", func() segment.Provider { return segtest.Paged(segment.Heap(), 64<<10) }},
	{"reserving", segtest.Reserving},
	{"generous", func() segment.Provider { return segtest.Generous(segment.OS(), 50_000) }},
	{"stingy", func() segment.Provider { return segtest.Stingy(segment.OS()) }},
	{"fixed", func() segment.Provider { return segment.Fixed(make([]byte, 6<<20)) }},
	{"strip", func() segment.Provider { return segtest.NewStrip(48<<20, segment.Granule) }},
	{"strip of 64K", func() segment.Provider { return segtest.NewStrip(48<<20, 64<<10) }},
}

func TestCacheModel(t *testing.T) {
	seed := segtest.Seed(t)
	for _, up := range upstreams {
		for _, max := range []int{0, 1 << 20, 16 << 20} {
			t.Run(fmt.Sprint(up.name, "/", max), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, uint64(max)))
				m := newModel(up.make(), max)
				for i := range 250 {
					if err := m.step(byte(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32())); err != nil {
						t.Fatalf("step %d: %v", i, err)
					}
				}
				if err := m.finish(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// TestCacheFaults fails the first call to the upstream, then the second, until
// none is left to fail: once alone, once with all that follow.
func TestCacheFaults(t *testing.T) {
	seed := segtest.Seed(t)
	for _, up := range append(upstreams[:4:4], upstreams[len(upstreams)-2:]...) {
		for _, fail := range []func(segment.Provider, int) *segment.Failer{segment.Failing, segment.FailingFrom} {
			t.Run(up.name, func(t *testing.T) {
				nth := 1
				for ; runFaulty(t, fail(up.make(), nth), seed); nth++ {
				}
				if nth < 10 {
					t.Errorf("only %d calls went upstream", nth)
				}
			})
		}
	}
}

// runFaulty runs one script over an upstream and reports whether that failed.
func runFaulty(t *testing.T, up *segment.Failer, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := newModel(up, 2<<20)
	for i := range 50 {
		if err := m.step(byte(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32())); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	up.Heal()
	if err := m.finish(); err != nil {
		t.Fatal(err)
	}
	return up.Failed()
}

// FuzzCache decodes bytes into the model's operations: a bound and an upstream,
// then five bytes a step.
func FuzzCache(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 2+5*200 {
			return
		}
		up := upstreams[int(data[0])%len(upstreams)]
		m := newModel(segment.Failing(up.make(), int(data[1]>>3)), 1<<20*int(data[1]&7))
		for steps := data[2:]; len(steps) >= 5; steps = steps[5:] {
			a, b := uint16(steps[1])<<8|uint16(steps[2]), uint16(steps[3])<<8|uint16(steps[4])
			if err := m.step(steps[0], a, b); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.finish(); err != nil {
			t.Fatal(err)
		}
	})
}
