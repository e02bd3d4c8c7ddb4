package segment_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// inARow acquires count segments of n bytes and sorts them by address. It reports
// whether they lie side by side.
func inARow(t *testing.T, p segment.Provider, count, n int) (row []segment.Segment, all bool) {
	t.Helper()
	for range count {
		s := mustCommit(t, p, mustAcquire(t, p, n))
		segtest.Fill(s, 1)
		row = append(row, s)
	}
	slices.SortFunc(row, func(a, b segment.Segment) int {
		return int(raw.AddrOf(a.Base)/segment.Granule) - int(raw.AddrOf(b.Base)/segment.Granule)
	})
	return row, raw.AddrOf(row[count-1].Base)-raw.AddrOf(row[0].Base) == raw.Addr((count-1)*n)
}

// mustRow is inARow over a strip.
func mustRow(t *testing.T, p segment.Provider, count, n int) []segment.Segment {
	t.Helper()
	row, all := inARow(t, p, count, n)
	if !all {
		t.Fatal("the segments do not lie side by side")
	}
	return row
}

// overStrip returns a cache over a new strip.
func overStrip(max int) (*segment.Cache, *segment.Counter) {
	up := segment.Counting(segtest.NewStrip(64*mib, 64*kib))
	return segment.NewCache(up, max).JoinFrom(0), up
}

// joining are providers that can join their segments.
func joining() map[string]func() segment.Provider {
	strip := func(page int) segment.Provider { return segtest.NewStrip(64*mib, page) }
	all := map[string]func() segment.Provider{
		"strip":        func() segment.Provider { return strip(segment.Granule) },
		"strip of 64K": func() segment.Provider { return strip(64 * kib) },
		"chain":        func() segment.Provider { return segment.Chain(segment.Null(), strip(segment.Granule)) },
		"budget":       func() segment.Provider { return segment.NewBudget("b", strip(16*kib), 32*mib) },
		"huge":         func() segment.Provider { return segment.Huge(strip(segment.Granule)) },
		"failer":       func() segment.Provider { return segment.Failing(strip(segment.Granule), 0) },
		"ledger":       func() segment.Provider { return segtest.NewLedger(strip(segment.Granule)) },
	}
	if _, ok := segment.OS().(segment.Joiner); ok {
		all["os"] = segment.OS
		all["chain over os"] = func() segment.Provider { return segment.Chain(segment.Null(), segment.OS()) }
	}
	return all
}

// TestCacheJoinsNeighbours releases neighbours of 2 MiB, in several orders, and asks
// for as much as they have together.
func TestCacheJoinsNeighbours(t *testing.T) {
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	for name, source := range joining() {
		for _, count := range []int{2, 3, 8, 16} {
			t.Run(fmt.Sprint(name, "/", count), func(t *testing.T) {
				up := segment.Counting(source())
				c := segment.NewCache(up, 64*mib).JoinFrom(0)
				for order := range 3 {
					row, all := inARow(t, c, count, 2*mib)
					if !all {
						t.Skip("the system has not given neighbours")
					}
					switch order {
					case 1:
						slices.Reverse(row)
					case 2:
						rng.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
					}
					mustRelease(t, c, row...)
					mappings := up.Acquires()
					s := mustAcquire(t, c, count*2*mib)
					mustCheck(t, c)
					if s.Size != count*2*mib || s.Zeroed {
						t.Errorf("%d bytes, zeroed %t", s.Size, s.Zeroed)
					}
					if up.Acquires() != mappings || up.Joins() != (order+1)*(count-1) {
						t.Errorf("order %d: %d new mappings, %d joins", order, up.Acquires()-mappings, up.Joins())
					}
					segtest.Fill(mustCommit(t, c, s), 3)
					if !segtest.All(s, 3) {
						t.Error("contents do not last")
					}
					mustRelease(t, c, s)
					mustDrain(t, c, up)
				}
			})
		}
	}
}

// TestCacheJoinsForMuch asks for what neighbours have together while the upstream has
// more: for few bytes they are not joined. When it has no more they are.
func TestCacheJoinsForMuch(t *testing.T) {
	for _, c := range []struct {
		count, strip int // neighbours of 2 MiB, and MiB of the upstream's
		joined       bool
	}{{3, 64, false}, {4, 64, true}, {3, 6, true}, {2, 4, true}} {
		up := segment.Counting(segtest.NewStrip(c.strip*mib, 64*kib))
		cache := segment.NewCache(up, 64*mib)
		mustRelease(t, cache, mustRow(t, cache, c.count, 2*mib)...)
		s := mustAcquire(t, cache, c.count*2*mib)
		if joined := up.Joins() > 0; joined != c.joined || s.Size != c.count*2*mib {
			t.Errorf("%d neighbours in %d MiB: %d bytes, joined %t", c.count, c.strip, s.Size, joined)
		}
		mustRelease(t, cache, s)
		mustDrain(t, cache, up)
	}
}

// What is behind the request in mappings that were joined is a mapping of its own: it
// goes back while the request is in use.
func TestCacheSplitsOffTheRest(t *testing.T) {
	for name, source := range joining() {
		t.Run(name, func(t *testing.T) {
			up := segment.Counting(source())
			c := segment.NewCache(up, 64*mib).JoinFrom(0)
			row, all := inARow(t, c, 4, 2*mib)
			if !all {
				t.Skip("the system has not given neighbours")
			}
			mustRelease(t, c, row...)
			s := mustAcquire(t, c, 5*mib-300*kib)
			mustCheck(t, c)
			if up.Acquires() != 4 || up.Joins() != 2 || up.Splits() != 1 || c.Stats().Mappings != 3 {
				t.Fatalf("%d mappings acquired, %d joins, %d splits: %+v", up.Acquires(), up.Joins(), up.Splits(), c.Stats())
			}
			segtest.Fill(mustCommit(t, c, s), 3)
			if err := c.Drain(); err != nil {
				t.Fatal(err)
			}
			mustCheck(t, c)
			if keep := up.Bytes() - s.Size; keep < 0 || keep >= 64*kib || up.Bytes() != c.Held() {
				t.Errorf("%d bytes beside the segment were kept, %d are held", keep, c.Held())
			}
			if !segtest.All(s, 3) {
				t.Error("contents lost")
			}
			mustRelease(t, c, s)
			mustDrain(t, c, up)
		})
	}
}

// An upstream that has no more than what is idle gets by with the bare need.
func TestCacheJoinsForTheBareNeed(t *testing.T) {
	up := segment.Counting(segtest.NewStrip(8*mib, 64*kib))
	c := segment.NewCache(up, 64*mib).JoinFrom(0)
	row := mustRow(t, c, 4, 2*mib)
	mustRelease(t, c, row...)
	s, err := c.Acquire(6*mib, 100*mib)
	mustCheck(t, c)
	if err != nil || s.Size != 6*mib || s.Base != row[0].Base || up.Releases() != 0 {
		t.Errorf("%v, %v, %d mappings went back", s, err, up.Releases())
	}
	mustRelease(t, c, s)
	mustDrain(t, c, up)
}

// A rest that is too small to be a mapping stays with the request.
func TestCacheKeepsASmallRest(t *testing.T) {
	c, up := overStrip(64 * mib)
	mustRelease(t, c, mustRow(t, c, 2, 2*mib)...)
	s := mustAcquire(t, c, 3*mib+64*kib)
	mustCheck(t, c)
	if up.Joins() != 1 || up.Splits() != 0 || c.Idle() != mib-64*kib {
		t.Errorf("%d joins, %d splits, %d bytes idle", up.Joins(), up.Splits(), c.Idle())
	}
	small := mustAcquire(t, c, 512*kib)
	if up.Acquires() != 2 {
		t.Error("the rest was not used")
	}
	mustRelease(t, c, s, small)
	mustDrain(t, c, up)
}

// agedCache is a cache over a strip, and what starts a new period of its decay and lets
// everything decay whose time has come.
func agedCache(up segment.Provider) (c *segment.Cache, tick func()) {
	c = segment.NewCache(up, 64*mib).JoinFrom(0)
	now := time.Duration(0)
	c.SetClock(func() time.Duration { return now })
	c.SetDecay(time.Minute)
	return c, func() {
		for now += time.Minute; ; {
			held := c.Held()
			for range 20 {
				if s, err := c.Acquire(4*kib, 4*kib); err == nil {
					_ = c.Release(s)
				}
			}
			if c.Held() == held {
				return
			}
		}
	}
}

// A rest decays when the mapping would have that it is from, and what was joined when
// it becomes idle again.
func TestCacheRestKeepsItsAge(t *testing.T) {
	up := segment.Counting(segtest.NewStrip(64*mib, 64*kib))
	c, tick := agedCache(up)
	keep := mustAcquire(t, c, 4*kib)
	row := mustRow(t, c, 3, 2*mib)
	tick()
	tick()
	tick()
	mustRelease(t, c, row[2])
	tick()
	mustRelease(t, c, row[0], row[1])
	s := mustAcquire(t, c, 5*mib) // the rest is of the oldest
	if up.Joins() != 2 || up.Splits() != 1 {
		t.Fatalf("%d joins, %d splits", up.Joins(), up.Splits())
	}
	mustRelease(t, c, mustRow(t, c, 40, 4*kib)...)
	if up.Bytes() != mib+6*mib {
		t.Errorf("%d bytes are held when the rest is one period old", up.Bytes())
	}
	tick()
	if up.Bytes() != mib+5*mib {
		t.Errorf("%d bytes are held when the rest is two periods old", up.Bytes())
	}
	mustRelease(t, c, s)
	tick()
	if up.Bytes() != mib+5*mib {
		t.Errorf("%d bytes are held one period after the release", up.Bytes())
	}
	tick()
	if up.Bytes() != mib {
		t.Errorf("%d bytes are held two periods after the release", up.Bytes())
	}
	mustRelease(t, c, keep)
	mustDrain(t, c, up)
}

// What was joined in vain is as old as the youngest of its parts.
func TestCacheJoinedInVain(t *testing.T) {
	// The call that fails comes after four acquisitions and one join.
	up := segment.Counting(segment.Failing(segtest.NewStrip(64*mib, 64*kib), 6))
	c, tick := agedCache(up)
	keep := mustAcquire(t, c, 4*kib)
	row := mustRow(t, c, 3, 2*mib)
	mustRelease(t, c, row[0], row[2])
	tick()
	mustRelease(t, c, row[1])
	s := mustAcquire(t, c, 6*mib)
	mustCheck(t, c)
	if up.Joins() != 1 || up.Acquires() != 5 || c.Stats().Mappings != 4 {
		t.Fatalf("%d joins, %+v", up.Joins(), c.Stats())
	}
	tick()
	if up.Bytes() != mib+6*mib+4*mib {
		t.Errorf("%d bytes are held when one of the parts is two periods old", up.Bytes())
	}
	tick()
	if up.Bytes() != mib+6*mib {
		t.Errorf("%d bytes are held when the other is", up.Bytes())
	}
	mustRelease(t, c, keep, s)
	mustDrain(t, c, up)
}

// A segment that was to grow over two mappings has the first if the second is refused.
func TestCacheGrowsHalfWay(t *testing.T) {
	// The call that fails comes after four acquisitions and one join.
	up := segment.Counting(segment.Failing(segtest.NewStrip(64*mib, 64*kib), 6))
	c := segment.NewCache(up, 32*mib).JoinFrom(0)
	row := mustRow(t, c, 4, 2*mib)
	mustRelease(t, c, row[1], row[2])
	s, err := c.Resize(row[0], 3*mib, 6*mib, false)
	if err != nil || s.Size != 4*mib || up.Joins() != 1 {
		t.Fatalf("%d bytes after %d joins, %v", s.Size, up.Joins(), err)
	}
	mustCheck(t, c)
	segtest.Fill(s, 2)
	if !segtest.All(row[3], 1) {
		t.Error("what lies behind was overwritten")
	}
	mustRelease(t, c, s, row[3])
	mustDrain(t, c, up)
}

// Without a decay the rest is the first to go.
func TestCacheRestGoesFirst(t *testing.T) {
	c, up := overStrip(9 * mib)
	row := mustRow(t, c, 5, 2*mib)
	mustRelease(t, c, row[4], row[0], row[1])
	s := mustAcquire(t, c, 3*mib) // and a rest of one MiB
	mustRelease(t, c, row[2], s, row[3])
	if mustCheck(t, c); up.Splits() != 1 || up.Releases() != 1 || up.Bytes() != 9*mib {
		t.Errorf("%d splits, %d mappings of %d bytes went back", up.Splits(), up.Releases(), 10*mib-up.Bytes())
	}
	mustDrain(t, c, up)
}

// spoiling is a strip of which some segments are not zero when they are acquired.
type spoiling struct {
	*segtest.Strip
	spoil []bool // the next segments
}

func (p *spoiling) Acquire(min, max int) (segment.Segment, error) {
	s, err := p.Strip.Acquire(min, max)
	if err == nil && p.spoil[0] {
		segtest.Fill(s, 0xEE)
		s.Zeroed = false
	}
	p.spoil = p.spoil[1:]
	return s, err
}

// TestCacheTellsZeroedOfJoined joins two mappings of 2 MiB, of which the first bytes
// were used and the others may be zero, and looks at what is behind the request.
func TestCacheTellsZeroedOfJoined(t *testing.T) {
	for _, used := range []int{1280 * kib, 2 * mib} {
		for _, unit := range []int{256 * kib, 2 * mib} { // whether the rest is split off
			for _, spoil := range [][]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
				c := segment.NewCache(&spoiling{segtest.NewStrip(4*mib, 64*kib), spoil}, 64*mib).JoinFrom(0)
				c.SetUnit(2 * mib)
				a, b := mustAcquire(t, c, used), mustAcquire(t, c, used)
				segtest.Fill(a, 1)
				segtest.Fill(b, 1)
				mustRelease(t, c, a, b)
				c.SetUnit(unit)
				s := mustAcquire(t, c, 3*mib)
				half, last := mustAcquire(t, c, 512*kib), mustAcquire(t, c, 256*kib)
				mustCheck(t, c)
				if s.Zeroed || half.Zeroed {
					t.Errorf("%d, %d, %v: what was used is told to be zero", used, unit, spoil)
				}
				if last.Zeroed && !segtest.All(last, 0) || last.Zeroed != (used < 2*mib && !spoil[0] && !spoil[1]) {
					t.Errorf("%d, %d, %v: told to be zero: %t", used, unit, spoil, last.Zeroed)
				}
				mustRelease(t, c, s, half, last)
				mustCheck(t, c)
			}
		}
	}
}

// A segment that grows over memory that was never used makes it used.
func TestCacheGrowsOverFreshMemory(t *testing.T) {
	c, up := overStrip(64 * mib)
	c.SetUnit(2 * mib)
	a, b := mustAcquire(t, c, 1280*kib), mustAcquire(t, c, 1280*kib)
	mustRelease(t, c, b)
	_, err := c.Resize(a, 3584*kib, 3584*kib, true)
	if err != nil || up.Joins() != 1 {
		t.Fatal(err, up.Joins())
	}
	mustCheck(t, c)
	if last := mustAcquire(t, c, 512*kib); !last.Zeroed || !segtest.All(last, 0) {
		t.Error("what was never used is not told to be zero")
	}
}

// busy is a strip that does something while it joins for the first time.
type busy struct {
	*segtest.Strip
	meanwhile func()
}

func (p *busy) Join(a, b segment.Segment) (segment.Segment, error) {
	if do := p.meanwhile; do != nil {
		p.meanwhile = nil
		do()
	}
	return p.Strip.Join(a, b)
}

// While mappings are joined they are nobody's, and the cache is open to others. What
// is too much when they are back is given back.
func TestCacheHidesWhatItJoins(t *testing.T) {
	for _, grow := range []bool{false, true} {
		source := &busy{Strip: segtest.NewStrip(64*mib, 64*kib)}
		up := segment.Counting(source)
		c := segment.NewCache(up, 9*mib/2).JoinFrom(0)
		row := mustRow(t, c, 5, 2*mib)
		mustRelease(t, c, row[1])
		source.meanwhile = func() {
			mustCheck(t, c)
			if s := c.Stats(); s.Mappings != 3 || s.Held != 10*mib || s.Idle != 0 {
				t.Errorf("%+v while two mappings are joined", s)
			}
			mustRelease(t, c, row[3], row[4])
			if s := mustAcquire(t, c, 2*mib); s.Base != row[3].Base && s.Base != row[4].Base {
				t.Errorf("%v was handed out meanwhile", s)
			} else {
				mustRelease(t, c, s)
			}
		}
		s, err := row[0], error(nil)
		if grow {
			s, err = c.Resize(s, 3*mib, 3*mib, true)
		} else {
			mustRelease(t, c, s)
			s, err = c.Acquire(3*mib, 3*mib)
		}
		mustCheck(t, c)
		if err != nil || up.Joins() != 1 || up.Releases() != 1 || c.Idle() > 9*mib/2 {
			t.Errorf("grow %t: %v, %d joins, %d mappings went back, %d bytes are idle", grow, err, up.Joins(), up.Releases(), c.Idle())
		}
		mustRelease(t, c, row[2], s)
		mustDrain(t, c, up)
	}
}

// Of several runs the one that comes nearest is taken, and of it no more than needed.
func TestCacheJoinsTheSmallestRun(t *testing.T) {
	c, up := overStrip(64 * mib)
	var walls []segment.Segment
	runs := make([][]segment.Segment, 3)
	for i, sizes := range [][]int{{4, 4, 4}, {2, 2, 1, 2}, {1, 4, 2}} {
		for _, n := range sizes {
			runs[i] = append(runs[i], mustAcquire(t, c, n*mib))
		}
		walls = append(walls, mustAcquire(t, c, mib))
	}
	for _, run := range runs {
		mustRelease(t, c, run...)
	}
	acquires := up.Acquires()
	for _, want := range []struct {
		mib  int
		base segment.Segment
	}{
		{5, runs[1][0]}, // 2, 2 and 1 of the second, not 2, 1 and 2
		{6, runs[2][1]}, // the end of the third
		{12, runs[0][0]},
	} {
		s := mustAcquire(t, c, want.mib*mib)
		mustCheck(t, c)
		if s.Base != want.base.Base || s.Size != want.mib*mib {
			t.Errorf("%d MiB: %v, want them at %p", want.mib, s, want.base.Base)
		}
	}
	if up.Acquires() != acquires || up.Splits() != 0 || c.Idle() != 3*mib {
		t.Errorf("%d new mappings, %d splits, %d bytes idle", up.Acquires()-acquires, up.Splits(), c.Idle())
	}
	mustRelease(t, c, walls...)
}

// A mapping in use, or one that is gone, parts its neighbours.
func TestCacheDoesNotJoinAcross(t *testing.T) {
	for _, gone := range []bool{false, true} {
		c, up := overStrip(64 * mib)
		row := mustRow(t, c, 5, 2*mib)
		if gone {
			mustRelease(t, c, row[2])
			if err := c.Drain(); err != nil || up.Bytes() != 8*mib {
				t.Fatal(err, up.Bytes())
			}
		} else {
			defer mustRelease(t, c, row[2])
		}
		mustRelease(t, c, row[0], row[1], row[3], row[4])
		s := mustAcquire(t, c, 6*mib)
		if mustCheck(t, c); up.Joins() != 0 {
			t.Errorf("gone %t: %d joins", gone, up.Joins())
		}
		mustRelease(t, c, s)
		a, b := mustAcquire(t, c, 4*mib), mustAcquire(t, c, 4*mib)
		if up.Joins() != 2-1 { // one is carved from the 6 MiB
			t.Errorf("gone %t: %d joins", gone, up.Joins())
		}
		mustRelease(t, c, a, b)
	}
}

// partly cannot join some of its segments, or none, and counts how often it is asked.
type partly struct {
	*segtest.Strip
	never bool
	asked int
}

func (p *partly) Join(a, b segment.Segment) (segment.Segment, error) {
	p.asked++
	if p.never || a.Base != nil && b.Base != nil {
		return a, errors.ErrUnsupported
	}
	return p.Strip.Join(a, b)
}

// An upstream that joins nothing is not asked again, and one that does not join two is
// not asked again for them. Both serve as if there was no such ability.
func TestCacheRemembersWhatCannotBeJoined(t *testing.T) {
	for _, never := range []bool{false, true} {
		up := &partly{Strip: segtest.NewStrip(64*mib, 64*kib), never: never}
		c := segment.NewCache(up, 64*mib).JoinFrom(0)
		mustRelease(t, c, mustRow(t, c, 4, 2*mib)...)
		for range 6 {
			s := mustAcquire(t, c, 4*mib)
			segtest.Fill(s, 4)
			defer mustRelease(t, c, s)
			mustCheck(t, c)
		}
		if want := map[bool]int{true: 2, false: 2 * 3}[never]; up.asked != want || c.Stats().Misses != 10 {
			t.Errorf("never %t: asked %d times, want %d; %d mappings made", never, up.asked, want, c.Stats().Misses)
		}
	}
}

// TestCacheLooksOn has more mappings than a search looks at. Each goes on where the
// last one has ended, or with the run that was not at its end there.
func TestCacheLooksOn(t *testing.T) {
	for _, at := range []int{0, 1, 15, 30, 31, 32, 33, 62, 100, 118} {
		for _, before := range []int{0, 1, 3} { // searches
			up := segment.Counting(segtest.NewStrip(16*mib, segment.Granule))
			c := segment.NewCache(up, 16*mib).JoinFrom(0)
			c.SetUnit(16 * kib)
			row := mustRow(t, c, 120, 32*kib)
			misses := func(most int) (n int) {
				for ; up.Joins() == 0 && n < most; n++ {
					mustAcquire(t, c, 64*kib)
				}
				return n
			}
			mustRelease(t, c, row[(at+60)%120], row[20]) // lest it gives up before
			misses(before)
			mustRelease(t, c, row[at], row[at+1])
			from := 32 * before
			want := 1 + (at+1-from)/32
			if at < from { // it begins anew before
				want = 1 + (120+before-from+at+1)/32
			}
			if n := misses(10); n > want {
				t.Errorf("at %d of 120 after %d searches: joined after %d misses, want %d", at, before, n, want)
			}
		}
	}
}

// A segment grows in place over the mapping behind its own, if that is all idle.
func TestCacheGrowsOverItsMapping(t *testing.T) {
	c, up := overStrip(64 * mib)
	row := mustRow(t, c, 4, 2*mib)
	segtest.Fill(row[0], 7)
	segtest.Fill(row[3], 9)
	s, err := c.Resize(row[0], mib, mib, true) // what is idle behind it is part of it
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.Resize(s, 3*mib, 3*mib, false); !errors.Is(err, errors.ErrUnsupported) || r != s {
		t.Errorf("grown over a segment in use: %v, %v", r, err)
	}
	mustRelease(t, c, row[1], row[2])
	if r, err := c.Resize(s, 7*mib, 7*mib, true); !errors.Is(err, errors.ErrUnsupported) || r != s {
		t.Errorf("grown to more than there is: %v, %v", r, err)
	}
	s, err = c.Resize(s, 3*mib, 3*mib, true)
	mustCheck(t, c)
	if err != nil || s.Base != row[0].Base || s.Size != 3*mib || up.Joins() != 1 || up.Splits() != 1 {
		t.Fatalf("%v, %v: %d joins, %d splits", s, err, up.Joins(), up.Splits())
	}
	if !segtest.All(segment.Segment{Base: s.Base, Size: mib}, 7) {
		t.Error("contents lost")
	}
	s, err = c.Resize(s, 4*mib, 16*mib, false)
	mustCheck(t, c)
	if err != nil || s.Size != 6*mib || up.Joins() != 3 {
		t.Fatalf("%v, %v after %d joins", s, err, up.Joins())
	}
	segtest.Fill(s, 8)
	if !segtest.All(row[3], 9) {
		t.Error("another segment has been overwritten")
	}
	if up.Acquires() != 4 {
		t.Errorf("%d mappings made", up.Acquires())
	}
	mustRelease(t, c, s, row[3])
	mustDrain(t, c, up)
}

// committing is a strip whose pages must be committed.
type committing struct {
	*segtest.Strip
	done map[raw.Addr]bool
}

func (p *committing) Commit(s segment.Segment, off, n int) error {
	for ; n > 0; off, n = off+64*kib, n-64*kib {
		p.done[raw.AddrOf(s.Base)+raw.Addr(off)] = true
	}
	return nil
}

// What is known to be committed is so, however mappings were joined and split.
func TestCacheJoinsWhatIsCommitted(t *testing.T) {
	up := &committing{segtest.NewStrip(64*mib, 64*kib), map[raw.Addr]bool{}}
	c := segment.NewCache(up, 64*mib).JoinFrom(0)
	for first := range 3 {
		for second := range 3 {
			a, b := mustAcquire(t, c, 2*mib), mustAcquire(t, c, 2*mib)
			for i, s := range []segment.Segment{a, b} {
				if err := segment.Commit(c, s, 0, []int{first, second}[i]*mib); err != nil {
					t.Fatal(err)
				}
			}
			mustRelease(t, c, a, b)
			s := mustAcquire(t, c, 3*mib)
			mustCheck(t, c)
			rest := mustAcquire(t, c, mib)
			for _, s := range []segment.Segment{s, rest} {
				mustCommit(t, c, s)
				for off := 0; off < s.Size; off += 64 * kib {
					if !up.done[raw.AddrOf(s.Base)+raw.Addr(off)] {
						t.Fatalf("%d and %d MiB committed: not so at offset %#x of %v", first, second, off, s)
					}
				}
			}
			mustRelease(t, c, s, rest)
			if err := c.Drain(); err != nil {
				t.Fatal(err)
			}
			clear(up.done)
		}
	}
}

// TestCacheJoinFaults fails each call to the upstream, alone and with all that follow,
// while mappings are joined for a request and for a segment that grows.
func TestCacheJoinFaults(t *testing.T) {
	for name, fail := range map[string]func(segment.Provider, int) *segment.Failer{"one": segment.Failing, "all": segment.FailingFrom} {
		failed := map[string]int{}
		for nth := 1; ; nth++ {
			up := fail(segtest.NewStrip(64*mib, 64*kib), nth)
			m := newModel(up, 64*mib)
			m.joinAll(t)
			up.Heal()
			if err := m.finish(); err != nil {
				t.Fatalf("call %d: %v", nth, err)
			}
			if !up.Failed() {
				break
			}
			failed["calls"]++
			failed["joins"] += 5 - min(m.up.Joins(), 5)
		}
		if failed["calls"] < 12 || failed["joins"] == 0 {
			t.Errorf("%s: %v", name, failed)
		}
	}
}

// joinAll has six neighbours released, and makes the cache join them.
func (m *model) joinAll(t *testing.T) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err := errors.Join(err, m.check()); err != nil {
			t.Fatal(err)
		}
	}
	for range 7 {
		do(m.acquire(2*mib, 2*mib))
	}
	for len(m.out) > 1 { // the first stays
		do(m.release(1))
	}
	do(m.acquire(5*mib, 5*mib))
	do(m.resize(0, 3*mib, true))
	do(m.acquire(4*mib, 4*mib))
}

// TestCacheModelOfNeighbours is TestCacheModel for segments that have mappings of
// their own, most of which come and go.
func TestCacheModelOfNeighbours(t *testing.T) {
	seed := segtest.Seed(t)
	joins, splits := 0, 0
	for i, max := range []int{8 * mib, 64 * mib} {
		up := func() segment.Provider { return segtest.NewStrip(64*mib, 16*kib) }
		for j, source := range []segment.Provider{up(), segment.OS(), segtest.NewLedger(up()), segment.Chain(segment.Null(), up())} {
			rng := rand.New(rand.NewPCG(seed, uint64(4*i+j)))
			m := newModel(source, max)
			for step := range 300 {
				var err error
				switch step % 20 {
				case 0:
					err = errors.Join(m.releaseMany(0, 0), m.cache.Drain())
				case 12:
					err = m.releaseMany(0, 0)
				}
				if err = errors.Join(err, m.stepOfNeighbours(rng, step%20/12*2), m.check()); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
			}
			joins, splits = joins+m.up.Joins(), splits+m.up.Splits()
			if err := m.finish(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if t.Logf("%d joins, %d splits", joins, splits); joins < 50 || splits < 5 {
		t.Errorf("only %d joins and %d splits", joins, splits)
	}
}

// stepOfNeighbours does one step with sizes that are larger by the given power of two
// in some times than in others.
func (m *model) stepOfNeighbours(rng *rand.Rand, power int) error {
	n := (mib + rng.IntN(mib)) << power
	switch rng.IntN(18) {
	case 0, 1, 2, 3, 4, 16, 17:
		return m.acquire(1+n, 1+n)
	case 5:
		return m.acquire(1+n, 1+2*n)
	case 6, 7:
		return m.release(rng.IntN(99))
	case 8, 9, 10:
		return m.releaseMany(rng.IntN(3), rng.IntN(2))
	case 11, 12:
		return m.resize(rng.IntN(99), 1+n, rng.IntN(2) == 0)
	case 13, 14:
		return errors.Join(m.split(rng.IntN(99), n), m.join(rng.IntN(99)))
	}
	return m.discard(rng.IntN(99), n)
}
