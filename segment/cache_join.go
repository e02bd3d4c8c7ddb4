package segment

import (
	"errors"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// Mappings that lie side by side and are all idle can serve a request together that
// none of them could serve, where the upstream can join them (see [Joiner]). They are
// looked for when nothing idle fits, before the upstream is asked for a new mapping:
// that costs a call of the system and, above all, a fault for each page, and theirs
// have been faulted in. What they have more than is needed is split off, if it
// is worth a mapping, and stays as old as it was. So what was idle for long goes back
// to the upstream as soon as before.

// lookBytes is how many bytes of a request let the search look at one mapping more: to
// fault in as many takes hundreds of times as long; see BenchmarkCacheLook. lookLeast is
// what it may look at for any request. It goes on next time where it has ended.
const (
	lookBytes = 64 << 10
	lookLeast = 32
)

// joinUnits is how many times the least size of a mapping a request must have for which
// mappings are joined rather than a new one made. For fewer bytes something that fits
// comes by soon, and to lay them out anew each time touches pages that nobody had
// touched: with joining for all sizes perf_10, which writes the ends of blocks of up to
// 4 MiB, had 17.1 MiB resident instead of 14.6.
const joinUnits = 8

// neighbours is a search for mappings, in the order of their addresses.
type neighbours struct {
	need int
	left int        // mappings to look at yet
	seen []*mapping // those of them that are all idle
	at   int        // where in seen the present run begins
	size int        // bytes of the run

	best     []*mapping // the smallest run that is enough
	bestSize int
	stopped  raw.Addr // the first mapping that was not looked at, 0 if there is none
}

// look looks at the next mapping and reports whether to go on. A run is as short as
// it can be: without its first mapping it would not be enough.
func (n *neighbours) look(i indexedMapping) bool {
	m := i.m
	if n.left--; n.left < 0 {
		n.stopped = i.base
		return false
	}
	if last := len(n.seen) - 1; last >= 0 && !n.seen[last].precedes(m) {
		n.at, n.size = last+1, 0 // what comes behind one in use gets here too
	}
	if m.inUse > 0 {
		return true
	}
	n.seen = append(n.seen, m)
	n.size += m.size()
	for first := n.seen[n.at]; n.size-first.size() >= n.need; first = n.seen[n.at] {
		n.size -= first.size()
		n.at++
	}
	if run := n.seen[n.at:]; n.size >= n.need && len(run) > 1 && (n.best == nil || n.size < n.bestSize) {
		n.best, n.bestSize = run, n.size
	}
	return n.bestSize != n.need
}

// precedes reports whether next begins where m ends, and nothing is known to stand
// against joining them.
func (m *mapping) precedes(next *mapping) bool {
	return end(m.seg) == next.base() && m.seg.Size == m.size() && !next.apart
}

// findRun returns mappings, all idle, that are enough for need bytes when they are
// joined, or nil.
func (c *Cache) findRun(need int) []*mapping {
	if c.unjoinable || c.idleBytes < need || c.spare.head.next == c.spare.head.prev {
		return nil
	}
	n := neighbours{need: need, left: larger(need/lookBytes, lookLeast)}
	if c.index.Len() <= n.left {
		c.index.Ascend(n.look)
		return n.best
	}
	from := indexedMapping{base: c.lookFrom}
	if c.index.AscendGreaterOrEqual(from, n.look); n.stopped == 0 && n.bestSize != need {
		c.index.AscendLessThan(from, n.look)
	}
	c.lookFrom = n.stopped
	if run := n.seen[n.at:]; len(run) > 0 && run[0].base() != from.base {
		c.lookFrom = run[0].base() // it may go on
	}
	return n.best
}

// acquireJoined serves a request for need bytes from mappings that it joins.
func (c *Cache) acquireJoined(need int) (Segment, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	run := c.findRun(need)
	if run == nil {
		return Segment{}, false
	}
	m := run[0]
	c.hide(m)
	err := c.join(run, need)
	c.show(m)
	if err != nil {
		c.restAgain(m)
		return Segment{}, false
	}
	c.removeIdle(&m.first)
	s := c.carve(&m.first, need)
	c.stats.Hits++
	c.shed()
	c.count(1)
	return s, true
}

// growOver lets e, which has its mapping but for what is idle behind it, grow in place
// into the mappings that come next and are all idle, up to want bytes, and reports
// whether it has at least least then, be it that not all of them could be joined. The
// lock is open meanwhile.
func (c *Cache) growOver(e *extent, least, want int) bool {
	if c.unjoinable {
		return false
	}
	m, size := e.m, e.size
	run, all := []*mapping{m}, m.size()
	c.index.AscendGreaterOrEqual(indexedMapping{base: end(m.seg)}, func(i indexedMapping) bool {
		if all >= want || i.m.inUse > 0 || !run[len(run)-1].precedes(i.m) {
			return false
		}
		run, all = append(run, i.m), all+i.m.size()
		return true
	})
	if all < least || len(run) == 1 {
		return false
	}
	c.takeOut(e)
	_ = c.join(run, smaller(want, all)) // what it has joined counts
	if e.size >= least {
		size = smaller(want, e.size)
		m.fresh = larger(m.fresh, size)
	}
	c.bringBack(e, size)
	return size >= least
}

// join joins the mappings of run, of which the caller has hidden the first and the
// others are all idle, and splits off what they have more than need bytes. An error
// leaves as they were those that are not joined by then. The lock is open meanwhile.
func (c *Cache) join(run []*mapping, need int) error {
	m, others := run[0], run[1:]
	for _, n := range others {
		c.hide(n)
	}
	var all, rest Segment
	var count int
	var err error
	refused, never := false, false
	c.outside(func() {
		if all, count, err = c.joinSegments(run); err == nil {
			rest = c.cutOff(all, need)
		}
		refused = errors.Is(err, errors.ErrUnsupported)
		never = refused && c.joinsNothing()
	})
	c.unjoinable = c.unjoinable || never
	for _, n := range others[:count-1] {
		c.absorb(m, n)
	}
	for _, n := range others[count-1:] {
		c.show(n)
		c.restAgain(n)
	}
	if refused {
		run[count].apart = true
	}
	if rest.Size > 0 {
		r := c.cutMapping(m, rest)
		r.idleSince = others[len(others)-1].idleSince
		c.show(r)
		c.restAgain(r)
	}
	return err
}

// joinSegments joins the segments of the mappings in run at the upstream. If it fails,
// all is what the first count of them are together.
func (c *Cache) joinSegments(run []*mapping) (all Segment, count int, err error) {
	all = run[0].seg
	for count = 1; count < len(run); count++ {
		if all, err = Join(c.up, all, run[count].seg); err != nil {
			return all, count, err
		}
	}
	return all, count, nil
}

// cutOff splits off what s has more than need bytes, in what the upstream deals in, if
// that is worth a mapping and the upstream can. Otherwise it returns no bytes.
func (c *Cache) cutOff(s Segment, need int) Segment {
	n := Most(c.up, need, need)
	if s.Size-n < c.unit || n%Granule != 0 {
		return Segment{}
	}
	_, rest, err := Split(c.up, s, n)
	if err != nil {
		return Segment{}
	}
	return rest
}

// joinsNothing reports whether it is not only these two that the upstream cannot join.
func (c *Cache) joinsNothing() bool {
	_, err := Join(c.up, Segment{}, Segment{})
	return errors.Is(err, errors.ErrUnsupported)
}

// absorb makes n, which begins where m ends, a part of m. Both are hidden, and have
// one extent.
func (c *Cache) absorb(m, n *mapping) {
	if n.fresh > 0 {
		m.fresh = m.size() + n.fresh
	}
	if m.first.committed == m.first.size {
		m.first.committed += n.first.committed
	}
	m.first.size += n.first.size
	m.seg.Size += n.seg.Size
	m.seg.Zeroed = m.seg.Zeroed && n.seg.Zeroed
	if younger(n, m) {
		m.idleSince = n.idleSince
	}
	c.numbers.take(&n.first)
}

// cutMapping makes the end of m, of which the upstream has made rest, a mapping. m is
// hidden and has one extent, and so has the result.
func (c *Cache) cutMapping(m *mapping, rest Segment) *mapping {
	n := m.seg.Size - rest.Size
	rest.Zeroed = m.seg.Zeroed
	r := &mapping{fresh: larger(m.fresh-n, 0)}
	r.put(rest)
	r.first.committed = larger(m.first.committed-n, 0)
	c.numbers.give(&r.first)
	m.first.committed -= r.first.committed
	m.first.size = n
	m.seg.Size = n
	m.fresh = smaller(m.fresh, n)
	return r
}

// younger reports whether m has become all idle in a later period than n.
func younger(m, n *mapping) bool { return int32(m.idleSince-n.idleSince) > 0 }

// restAgain puts m back among the mappings that are all idle, before those of its
// period.
func (c *Cache) restAgain(m *mapping) {
	at := c.spare.head.next
	for at != &c.spare.head && younger(m, at) {
		at = at.next
	}
	m.moveBefore(at)
}
