package tree

import (
	"fmt"
	"math/bits"

	"github.com/cookmem-go/cookmem/internal/raw"
)

const (
	// binShift is the logarithm of the smallest size that a heap keeps in a tree,
	// 64 units of two words. Smaller ones would all go to bin 0.
	binShift = 6 + 1 + bits.UintSize/64 + 2

	// binCount is what the bitmap holds, or what the sizes of a small word need.
	binCount = min(64, 1+2*(bits.UintSize-binShift))
	lastBin  = binCount - 1
)

// trie is the digital tree of Doug Lea's malloc 2.8. Sizes fall into bins, two
// per power of two: bin 0 holds those below 1<<binShift, the last one all that
// are left above. In a bin, each level down is one bit of the size, beginning
// with the highest that the bin leaves open: 0 to the left, 1 to the right. A
// node stands where its path met an empty link and not, as in a radix tree, at
// the end of its bits; so its size is only known to begin like the path, and it
// may be larger or smaller than any size below it. That is why a search weighs
// every node it passes, and why any leaf below a removed node can replace it.
type trie struct {
	bitmap uint64 // bit i is set if bin i has a root
	roots  [binCount]raw.Addr
}

// binOf returns the bin of a size.
func binOf(size uintptr) uint {
	log := uint(bits.Len(uint(size))) - 1 // wraps for 0, which is in bin 0 then
	if size>>binShift == 0 {
		return 0
	}
	bin := 2*(log-binShift) + uint(size>>(log-1))&1 + 1
	return min(bin, lastBin)
}

// openShift returns by how much to shift a size of this bin to the left so that
// the first bit that the bin leaves open becomes the highest of the word.
func openShift(bin uint) uint {
	switch bin {
	case 0:
		return bits.UintSize - binShift
	case lastBin:
		return 0
	default:
		log := binShift + (bin-1)/2
		return bits.UintSize + 1 - log
	}
}

// topBit returns the side that the highest bit of path leads to.
func topBit(path uintptr) uintptr { return path >> (bits.UintSize - 1) }

func (t *trie) insert(node raw.Addr, size uintptr) {
	bin := binOf(size)
	n := t.roots[bin]
	if n == 0 {
		plant(node, size, 0, 0)
		t.roots[bin] = node
		t.bitmap |= 1 << bin
		return
	}
	for path := size << openShift(bin); ; path <<= 1 {
		if Size(n) == size {
			joinRing(n, node, size)
			return
		}
		c := child(n, topBit(path))
		if c == 0 {
			plant(node, size, n, 0)
			setChild(n, topBit(path), node)
			return
		}
		n = c
	}
}

// bestFit returns the tree node of the smallest size that is at least size, or
// 0. If it came across a leaf below that node, or the node is a leaf, it returns
// that too, for remove. As in search.bestFit, no branch in the loops depends on
// which way they turn.
func (t *trie) bestFit(size uintptr) (best, leaf raw.Addr) {
	// What a node has too much is at least -size, by wrapping, if it has too
	// little. For a size of 0 that would refuse all, and no node is smaller than 1.
	size = max(size, 1)
	spare := -size
	bin := binOf(size)
	n := t.roots[bin]
	var larger raw.Addr // the subtree of the next larger sizes beside the path
	for path := size << openShift(bin); n != 0; path <<= 1 {
		over := Size(n) - size
		if over == 0 {
			return n, 0
		}
		if over < spare {
			best = n
		}
		spare = min(spare, over)
		r := child(n, right)
		if r == 0 {
			r = larger
		}
		if topBit(path) == left {
			larger = r
		}
		n = child(n, topBit(path))
	}
	if larger == 0 && best == 0 { // all of this bin is too small
		larger = t.rootAbove(bin)
	}
	return smallest(larger, size, best, spare)
}

// rootAbove returns the root of the next bin above this one, or 0.
func (t *trie) rootAbove(bin uint) raw.Addr {
	above := t.bitmap &^ (2<<bin - 1)
	if above == 0 {
		return 0
	}
	return t.roots[bits.TrailingZeros64(above)]
}

// smallest ends bestFit: all sizes from n down are larger than size, and the
// smallest of them is on the leftmost way down. best, which has spare bytes too
// many, is returned if that is no better.
func smallest(n raw.Addr, size uintptr, best raw.Addr, spare uintptr) (_, leaf raw.Addr) {
	before := best
	for n != 0 {
		over, l, r := Size(n)-size, child(n, left), child(n, right)
		if over < spare {
			best = n
		}
		spare = min(spare, over)
		leaf = n
		n = l
		if l == 0 {
			n = r
		}
	}
	if best == before {
		leaf = 0
	}
	return best, leaf
}

// remove takes n, alone in its ring, out of the tree. leaf is a leaf below n, or
// n itself if it is one, or 0 if the caller knows none.
func (t *trie) remove(n, leaf raw.Addr) {
	if leaf == 0 {
		leaf = anyLeaf(n)
	}
	up := parent(leaf)
	if up != 0 {
		setChild(up, sideOf(up, leaf), 0)
	}
	if leaf == n {
		if up == 0 {
			t.dropRoot(Size(n))
		}
		return
	}
	p := parent(n)
	adopt(n, leaf)
	if p != 0 {
		setChild(p, sideOf(p, n), leaf)
	} else {
		t.roots[binOf(Size(n))] = leaf
	}
}

func (t *trie) dropRoot(size uintptr) {
	bin := binOf(size)
	t.roots[bin] = 0
	t.bitmap &^= 1 << bin
}

// anyLeaf returns a leaf at or below n.
func anyLeaf(n raw.Addr) raw.Addr {
	for {
		c := child(n, right)
		if c == 0 {
			c = child(n, left)
		}
		if c == 0 {
			return n
		}
		n = c
	}
}

// max returns the tree node of the largest size, or 0. It is on the rightmost
// way down.
func (t *trie) max() raw.Addr {
	if t.bitmap == 0 {
		return 0
	}
	best := t.roots[bits.Len64(t.bitmap)-1]
	for n := best; n != 0; {
		if Size(n) > Size(best) {
			best = n
		}
		r := child(n, right)
		if r == 0 {
			r = child(n, left)
		}
		n = r
	}
	return best
}

// all yields the tree nodes bin by bin, each before those below it.
func (t *trie) all(yield func(raw.Addr) bool) {
	for set := t.bitmap; set != 0; set &= set - 1 {
		for n := t.roots[bits.TrailingZeros64(set)]; n != 0; n = below(n) {
			if !yield(n) {
				return
			}
		}
	}
}

// below returns the node after n in a walk that visits a node before its
// subtrees, left before right, or 0.
func below(n raw.Addr) raw.Addr {
	if l := child(n, left); l != 0 {
		return l
	}
	if r := child(n, right); r != 0 {
		return r
	}
	for {
		up, side := place(n)
		if up == 0 {
			return 0
		}
		if r := child(up, right); side == left && r != 0 {
			return r
		}
		n = up
	}
}

func (t *trie) check(c *census) error {
	for bin := range uint(64) {
		root := raw.Addr(0)
		if bin < binCount {
			root = t.roots[bin]
		}
		if t.bitmap>>bin&1 == 1 != (root != 0) {
			return fmt.Errorf("T7: the bitmap is %#x, but the root of bin %d is %#x", t.bitmap, bin, root)
		}
		if root == 0 {
			continue
		}
		if err := t.checkBelow(c, root, 0, bin, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// checkBelow checks the subtree at n, which hangs from up; spelled are the first
// depth bits that its bin leaves open, as the path to n spells them.
func (t *trie) checkBelow(c *census, n, up raw.Addr, bin uint, spelled uintptr, depth uint) error {
	if err := c.visit(n, up); err != nil {
		return err
	}
	size := Size(n)
	if size == 0 || binOf(size) != bin {
		return fault("T6", n, "it is in bin %d", bin)
	}
	if begins := size << openShift(bin) >> (bits.UintSize - depth); begins != spelled {
		return fault("T6", n, "in bin %d the path to it is %0*b, but its size begins %0*b", bin, depth, spelled, depth, begins)
	}
	for a := up; a != 0; a = parent(a) {
		if Size(a) == size {
			return fault("T3", n, "it hangs below %#x of the same size instead of in its ring", a)
		}
	}
	for side := left; side <= right; side++ {
		child := child(n, side)
		if child == 0 {
			continue
		}
		if err := t.checkBelow(c, child, n, bin, spelled<<1|side, depth+1); err != nil {
			return err
		}
	}
	return nil
}
