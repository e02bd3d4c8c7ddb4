package bins

import (
	"fmt"
	"math/bits"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

const (
	smallBins = 64

	// MaxSmall is the largest size of a free chunk that goes into a small bin,
	// in bytes: 1008 on 64-bit systems. Larger ones belong into a tree.
	MaxSmall = (smallBins - 1) * chunk.Align
)

// Small keeps the free chunks of sizes up to [MaxSmall], one bin for each exact
// size. The zero value is empty.
//
// A free chunk's payload begins with two links, to the next and the previous
// chunk of its bin; 0 ends the chain on either side.
//
// It is one word until the first chunk comes: a heap of a few blocks, of which there
// may be very many, has none.
type Small struct {
	*heads
}

type heads struct {
	bitmap uint64 // bit u is set if bin u is not empty
	count  int
	bytes  uintptr
	bins   [smallBins]raw.Addr // their first chunks, by size in units of Align
}

// Count returns the number of chunks in all bins.
func (s *Small) Count() int {
	if s.heads == nil {
		return 0
	}
	return s.count
}

// Bytes returns the size of all chunks in all bins.
func (s *Small) Bytes() uintptr {
	if s.heads == nil {
		return 0
	}
	return s.bytes
}

// Clear forgets every chunk without touching it.
func (s *Small) Clear() {
	if s.heads != nil {
		*s.heads = heads{}
	}
}

// Insert puts the free chunk with block b and the given size into its bin.
func (s *Small) Insert(b raw.Addr, size uintptr) {
	if s.heads == nil {
		s.heads = new(heads)
	}
	u := size / chunk.Align % smallBins
	next := s.bins[u]
	setNext(b, next)
	setPrev(b, 0)
	if next != 0 {
		setPrev(next, b)
	}
	s.bins[u] = b
	s.bitmap |= 1 << u
	s.count++
	s.bytes += size
}

// Remove takes the chunk with block b and the given size out of its bin.
func (s *Small) Remove(b raw.Addr, size uintptr) {
	u := size / chunk.Align % smallBins
	next, prev := next(b), prev(b)
	if prev != 0 {
		setNext(prev, next)
	} else {
		s.bins[u] = next
		if next == 0 {
			s.bitmap &^= 1 << u
		}
	}
	if next != 0 {
		setPrev(next, prev)
	}
	s.count--
	s.bytes -= size
}

// TakeExact takes a chunk of exactly size bytes and returns its block, or 0.
// size must not exceed [MaxSmall].
func (s *Small) TakeExact(size uintptr) raw.Addr {
	if s.heads == nil {
		return 0
	}
	b := s.bins[size/chunk.Align%smallBins]
	if b != 0 {
		s.Remove(b, size)
	}
	return b
}

// Take takes a chunk of the smallest size that is at least size bytes and
// returns its block and its size, or 0. size may exceed [MaxSmall].
func (s *Small) Take(size uintptr) (raw.Addr, uintptr) {
	from := size / chunk.Align
	if from >= smallBins || s.heads == nil || s.bitmap>>from == 0 {
		return 0, 0
	}
	found := (uintptr(bits.TrailingZeros64(s.bitmap>>from)) + from) * chunk.Align
	return s.TakeExact(found), found
}

// Largest returns the size of the largest chunk, 0 if there is none.
func (s *Small) Largest() uintptr {
	if s.heads == nil || s.bitmap == 0 {
		return 0
	}
	return uintptr(bits.Len64(s.bitmap)-1) * chunk.Align
}

// Check walks the bins, calls visit for each chunk with the size it must have,
// and compares bitmap and totals (invariant 7).
func (s *Small) Check(visit func(b raw.Addr, size uintptr) error) error {
	if s.heads == nil {
		return nil
	}
	count, bytes := 0, uintptr(0)
	for u, head := range s.bins {
		size := uintptr(u) * chunk.Align
		if set := s.bitmap>>u&1 != 0; set != (head != 0) {
			return fmt.Errorf("invariant 7: bit of the %d byte bin is %v, its head %#x", size, set, head)
		}
		for b, before := head, raw.Addr(0); b != 0; before, b = b, next(b) {
			if count++; count > s.count {
				return fmt.Errorf("invariant 7: small bins hold more than the %d chunks counted: a loop?", s.count)
			}
			// Only visit knows whether there is memory at b at all.
			if err := visit(b, size); err != nil {
				return err
			}
			if prev(b) != before {
				return fmt.Errorf("invariant 7: chunk %#x of the %d byte bin links back to %#x, not %#x", b, size, prev(b), before)
			}
			bytes += size
		}
	}
	if count != s.count || bytes != s.bytes {
		return fmt.Errorf("invariant 7: small bins hold %d chunks of %d bytes, counted were %d of %d", count, bytes, s.count, s.bytes)
	}
	return nil
}

func next(b raw.Addr) raw.Addr { return raw.Addr(raw.Load(b)) }
func prev(b raw.Addr) raw.Addr { return raw.Addr(raw.Load(b + raw.Word)) }

func setNext(b, to raw.Addr) { raw.Store(b, uintptr(to)) }
func setPrev(b, to raw.Addr) { raw.Store(b+raw.Word, uintptr(to)) }
