package memctx

import (
	"math/bits"
	"slices"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// blockMap tells, for one segment, where blocks begin: two bits for each place
// where one could. It lies in Go memory, so that asking about an address reads
// nothing that the address points to.
type blockMap struct {
	base raw.Addr // of the segment, rounded down to chunk.Align
	size uintptr  // bytes from base
	live bitmap   // a live block begins there
	was  bitmap   // one was freed there, and the memory has not been handed out again
}

// blockMaps are the maps of a context's segments, in the order of their
// addresses.
type blockMaps struct {
	sorted []blockMap
	last   int // where find was successful
}

// find returns the map of the segment that holds a, or nil.
func (bm *blockMaps) find(a raw.Addr) *blockMap {
	if bm.last < len(bm.sorted) && bm.sorted[bm.last].holds(a) {
		return &bm.sorted[bm.last]
	}
	i, found := slices.BinarySearchFunc(bm.sorted, a, func(m blockMap, a raw.Addr) int {
		switch {
		case m.holds(a):
			return 0
		case m.base < a:
			return -1
		}
		return 1
	})
	if !found {
		return nil
	}
	bm.last = i
	return &bm.sorted[i]
}

// add makes a map for a segment. What was known of its blocks is passed along
// when a segment has changed its size or place.
func (bm *blockMaps) add(s segment.Segment, known blockMap) {
	base := raw.AddrOf(s.Base)
	m := blockMap{base: base &^ (chunk.Align - 1)}
	m.size = uintptr(base-m.base) + uintptr(s.Size)
	places := m.size/chunk.Align + 1
	m.live, m.was = known.live.resized(places), known.was.resized(places)
	i, _ := slices.BinarySearchFunc(bm.sorted, m.base, func(m blockMap, a raw.Addr) int {
		if m.base < a {
			return -1
		}
		return 1
	})
	bm.sorted = slices.Insert(bm.sorted, i, m)
}

// remove takes out and returns the map of a segment that has gone.
func (bm *blockMaps) remove(s segment.Segment) (known blockMap) {
	a := raw.AddrOf(s.Base)
	bm.sorted = slices.DeleteFunc(bm.sorted, func(m blockMap) bool {
		if m.holds(a) {
			known = m
			return true
		}
		return false
	})
	return known
}

// forget makes all live blocks freed ones.
func (bm *blockMaps) forget() {
	for i := range bm.sorted {
		m := &bm.sorted[i]
		for j, w := range m.live {
			m.was[j] |= w
		}
		clear(m.live)
	}
}

// count returns the number of live blocks.
func (bm *blockMaps) count() (n uint) {
	for i := range bm.sorted {
		for _, w := range bm.sorted[i].live {
			n += uint(bits.OnesCount64(w))
		}
	}
	return n
}

// isLive reports whether a live block begins at a, which may be any number.
func (bm *blockMaps) isLive(a raw.Addr) bool {
	if a%chunk.Align != 0 {
		return false
	}
	m := bm.find(a)
	return m != nil && m.live.has(m.place(a))
}

// born notes a live block at b, whose chunk ends at end.
func (bm *blockMaps) born(b, end raw.Addr) {
	m := bm.find(b)
	m.was.clearRange(m.place(b), m.place(end-1)+1)
	m.live.set(m.place(b))
}

// died notes that the block at b was freed.
func (bm *blockMaps) died(b raw.Addr) {
	m := bm.find(b)
	m.live.clear(m.place(b))
	m.was.set(m.place(b))
}

func (m *blockMap) holds(a raw.Addr) bool { return a-m.base < raw.Addr(m.size) }

// place returns the index of the bits for a.
func (m *blockMap) place(a raw.Addr) uintptr { return uintptr(a-m.base) / chunk.Align }

// before returns the last live block that begins at or before a, or 0.
func (m *blockMap) before(a raw.Addr) raw.Addr {
	place, found := m.live.last(m.place(a))
	if !found {
		return 0
	}
	return m.base + raw.Addr(place*chunk.Align)
}

// bitmap is a set of small numbers.
type bitmap []uint64

func (b bitmap) has(i uintptr) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitmap) set(i uintptr)      { b[i/64] |= 1 << (i % 64) }
func (b bitmap) clear(i uintptr)    { b[i/64] &^= 1 << (i % 64) }

// clearRange takes the numbers in [lo, hi) out.
func (b bitmap) clearRange(lo, hi uintptr) {
	for lo < hi {
		n := min(64-lo%64, hi-lo)
		b[lo/64] &^= (1<<n - 1) << (lo % 64)
		lo += n
	}
}

// last returns the largest member that is at most i, and whether there is one.
func (b bitmap) last(i uintptr) (uintptr, bool) {
	w := b[i/64] << (63 - i%64) >> (63 - i%64)
	for at := i / 64; ; w = b[at] {
		if w != 0 {
			return at*64 + uintptr(bits.Len64(w)) - 1, true
		}
		if at == 0 {
			return 0, false
		}
		at--
	}
}

// resized returns the set with room for numbers below n; larger ones are lost.
func (b bitmap) resized(n uintptr) bitmap {
	r := make(bitmap, (n+63)/64)
	copy(r, b)
	if n%64 != 0 {
		r[n/64] &= 1<<(n%64) - 1
	}
	return r
}
