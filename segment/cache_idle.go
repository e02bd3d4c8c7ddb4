package segment

import (
	"math"

	"github.com/google/btree"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// idleSet are the idle extents. Those that became idle last are in a short array,
// the others in a tree by size. What comes and goes, like the segments of a context
// that is closed before the next one is made, never sees the tree, in which a
// change costs many times as much.
type idleSet struct {
	tree *btree.BTreeG[idleExtent]

	recent [recentExtents]*extent
	sizes  [recentExtents]int // of the extents in recent
	count  int                // of those in recent
	oldest int                // the next to make room, once recent is full

	first func(idleExtent) bool // stores its argument in found; made once
	found *extent
}

// recentExtents is how many extents the array has. A search looks at all of them.
const recentExtents = 64

// idleExtent is an extent in the tree. The key lies beside the pointer, so that
// a search stays within the tree's nodes.
type idleExtent struct {
	size int
	base raw.Addr
	e    *extent
}

func (a idleExtent) less(b idleExtent) bool {
	if a.size != b.size {
		return a.size < b.size
	}
	return a.base < b.base
}

func (s *idleSet) init() {
	s.tree = btree.NewG(32, idleExtent.less)
	s.first = func(i idleExtent) bool { s.found = i.e; return false }
}

// len returns the number of extents in the set.
func (s *idleSet) len() int { return s.count + s.tree.Len() }

// insert adds e to the set. One that has been in the array for long may move to the
// tree.
func (s *idleSet) insert(e *extent) {
	at := s.count
	if at < recentExtents {
		s.count++
	} else {
		at = s.oldest
		s.oldest = (at + 1) % recentExtents
		old := s.recent[at]
		old.slot = 0
		s.tree.ReplaceOrInsert(idleExtent{old.size, old.base, old})
	}
	s.put(at, e)
}

// remove takes e out of the set.
func (s *idleSet) remove(e *extent) {
	if e.slot == 0 {
		s.tree.Delete(idleExtent{e.size, e.base, e})
		return
	}
	s.count--
	s.put(int(e.slot)-1, s.recent[s.count])
	s.recent[s.count] = nil
	e.slot = 0
}

func (s *idleSet) put(at int, e *extent) {
	s.recent[at], s.sizes[at], e.slot = e, e.size, uint8(at+1)
}

// has reports whether e is in the set.
func (s *idleSet) has(e *extent) bool {
	if e.slot != 0 {
		at := int(e.slot) - 1
		return at < s.count && s.recent[at] == e && s.sizes[at] == e.size
	}
	i, _ := s.tree.Get(idleExtent{e.size, e.base, e})
	return i.e == e
}

// smallest returns the smallest extent of at least size bytes, or nil. Of equal
// ones it is one that became idle lately, or else the one at the lowest address.
func (s *idleSet) smallest(size int) *extent {
	// As unsigned numbers, what is too small is by far too large: one comparison that
	// the processor foresees, instead of two of which it does not foresee the first.
	at, least := -1, uint(math.MaxInt)
	for i, n := range s.sizes[:s.count] {
		if over := uint(n - size); over < least {
			at, least = i, over
			if over == 0 {
				break
			}
		}
	}
	var best *extent
	if at >= 0 {
		best = s.recent[at]
	}
	if least == 0 || s.tree.Len() == 0 {
		return best
	}
	s.found = nil
	s.tree.AscendGreaterOrEqual(idleExtent{size: size}, s.first)
	if s.found != nil && (best == nil || s.found.size < best.size) {
		best = s.found
	}
	return best
}

// largest returns the largest extent, or nil.
func (s *idleSet) largest() *extent {
	i, _ := s.tree.Max()
	best := i.e
	for i, n := range s.sizes[:s.count] {
		if best == nil || n > best.size {
			best = s.recent[i]
		}
	}
	return best
}
