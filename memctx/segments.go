package memctx

import (
	"slices"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// record is what a context knows of one of its segments. Nothing of it lies in
// the segment itself, and its Base keeps memory of the Go heap alive.
type record struct {
	segment.Segment
	first  raw.Addr // the first chunk
	end    raw.Addr // the fence, or where it will be
	shared bool     // not, or no more, made to measure for one large block
}

// newRecord lays out a segment: the first chunk where its block is aligned, the
// fence in the last word that can be the head of an aligned block. What is beyond
// the largest chunk there can be, as in terabytes reserved for growth, is not used.
func newRecord(s segment.Segment) record {
	base := raw.AddrOf(s.Base)
	lo := (base + chunk.Align - 1) &^ (chunk.Align - 1)
	hi := (base + raw.Addr(s.Size)) &^ (chunk.Align - 1)
	if hi-lo > chunk.Limit-chunk.Align {
		hi = lo + chunk.Limit - chunk.Align
	}
	return record{Segment: s, first: lo + chunk.Align - chunk.Header, end: hi - chunk.Header}
}

// segmentOverhead is the largest part of a segment that is not chunks.
const segmentOverhead = 3 * chunk.Align

// span returns the bytes of chunks between the first and the fence.
func (r *record) span() uintptr { return uintptr(r.end - r.first) }

// base returns the segment's first address.
func (r *record) base() raw.Addr { return raw.AddrOf(r.Base) }

// holds reports whether a is an address in the segment.
func (r *record) holds(a raw.Addr) bool { return a-r.base() < raw.Addr(r.Size) }

// has reports whether size bytes at c, which may be any numbers, lie between the first
// chunk and the fence.
func (r *record) has(c raw.Addr, size uintptr) bool {
	return c >= r.first && c <= r.end && size <= uintptr(r.end-c)
}

// segments are the records of a context's segments, in the order of their
// addresses.
type segments struct {
	sorted []record
	last   int // where find was successful
	reach      // of those that are shared
}

// search returns the index of the first record that begins above a.
func (ss *segments) search(a raw.Addr) int {
	lo, hi := 0, len(ss.sorted)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if ss.sorted[mid].base() <= a {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// find returns the record of the segment that holds a, or nil. It is valid
// until the next add or remove.
func (ss *segments) find(a raw.Addr) *record {
	if ss.last < len(ss.sorted) && ss.sorted[ss.last].holds(a) {
		return &ss.sorted[ss.last]
	}
	i := ss.search(a) - 1
	if i < 0 || !ss.sorted[i].holds(a) {
		return nil
	}
	ss.last = i
	return &ss.sorted[i]
}

// add puts a record in its place.
func (ss *segments) add(r record) {
	ss.sorted = slices.Insert(ss.sorted, ss.search(r.base()), r)
	if r.shared {
		ss.setReach()
	}
}

// remove takes the record of the segment that holds a out and returns it.
func (ss *segments) remove(a raw.Addr) record {
	i := ss.search(a) - 1
	r := ss.sorted[i]
	ss.sorted = slices.Delete(ss.sorted, i, i+1)
	if r.shared {
		ss.setReach()
	}
	return r
}

// keep drops every record for which choose is false.
func (ss *segments) keep(choose func(record) bool) {
	ss.sorted = slices.DeleteFunc(ss.sorted, func(r record) bool { return !choose(r) })
	ss.setReach()
}

// share notes that the segment that holds a is there for many blocks.
func (ss *segments) share(a raw.Addr) {
	if r := ss.find(a); !r.shared {
		r.shared = true
		ss.setReach()
	}
}

// setReach finds out the reach anew. It must be called when segments were added or
// removed, or have become smaller.
func (ss *segments) setReach() { ss.reach = reachOf(ss.sorted) }

// reachOf returns the reach of a context with these segments.
func reachOf(sorted []record) reach {
	first, last := 0, len(sorted)-1
	for first <= last && !sorted[first].shared {
		first++
	}
	if first > last {
		return reach{}
	}
	for !sorted[last].shared {
		last--
	}
	lowest := chunk.Block(sorted[first].first)
	end := sorted[last].base() + raw.Addr(sorted[last].Size)
	return reach{shift: -uint(lowest), blocks: uint(end-lowest) / chunk.Align}
}

// shareNone notes that no block is left in any segment.
func (ss *segments) shareNone() {
	for i := range ss.sorted {
		ss.sorted[i].shared = false
	}
	ss.reach = reach{}
}
