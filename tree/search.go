package tree

import "github.com/cookmem-go/cookmem/internal/raw"

// search is the binary search tree under redBlack and avl: everything that
// follows from order and parent links alone.
type search struct{ root raw.Addr }

// bestFit returns the tree node of the smallest size that is at least size, or 0.
//
// Which way a search goes cannot be predicted. The loop has therefore no branch
// but its end: both links are read beside the size, and conditional moves choose.
// An exact fit does not end it early for the same reason.
func (s *search) bestFit(size uintptr) raw.Addr {
	var best raw.Addr
	for n := s.root; n != 0; {
		have, l, r := Size(n), child(n, left), child(n, right)
		if have >= size {
			best = n
		}
		n = r
		if have >= size {
			n = l
		}
	}
	return best
}

// descend returns the node of this size if there is one, and else the node from
// which one would hang as a leaf, or 0 in an empty tree.
func (s *search) descend(size uintptr) (same, up raw.Addr) {
	for n := s.root; n != 0; {
		have, l, r := Size(n), child(n, left), child(n, right)
		if have == size {
			return n, 0
		}
		up = n
		n = l
		if have < size {
			n = r
		}
	}
	return 0, up
}

// attach makes node, which descend found to hang from up, a leaf there, and
// returns the side.
func (s *search) attach(node, up raw.Addr, size, state uintptr) (side uintptr) {
	plant(node, size, up, state)
	if up != 0 && Size(up) < size {
		side = right
	}
	s.hang(up, side, node)
	return side
}

// hang links n, which may be 0, below up; up 0 makes it the root.
func (s *search) hang(up raw.Addr, side uintptr, n raw.Addr) {
	if up == 0 {
		s.root = n
	} else {
		setChild(up, side, n)
	}
	if n != 0 {
		setParent(n, up)
	}
}

// place returns what n hangs from, and on which side; a root hangs from 0.
func place(n raw.Addr) (up raw.Addr, side uintptr) {
	if up = parent(n); up != 0 {
		side = sideOf(up, n)
	}
	return up, side
}

// cut takes n out and closes the gap. Where the tree lost a level, on this side
// of up, is where rebalancing starts; lost is the state of the node that stood
// there. That node is n, or its successor, which has taken n's place and state.
func (s *search) cut(n raw.Addr) (up raw.Addr, side, lost uintptr) {
	l, r := child(n, left), child(n, right)
	lost = state(n)
	up, side = place(n)
	switch {
	case l == 0:
		s.hang(up, side, r)
		return up, side, lost
	case r == 0:
		s.hang(up, side, l)
		return up, side, lost
	}
	heir := leftmost(r)
	orphan, heirUp := child(heir, right), parent(heir)
	inherited := lost
	lost = state(heir)
	s.hang(up, side, heir)
	setState(heir, inherited)
	setChild(heir, left, l)
	setParent(l, heir)
	if heir == r {
		return heir, right, lost
	}
	s.hang(heirUp, left, orphan)
	setChild(heir, right, r)
	setParent(r, heir)
	return heirUp, left, lost
}

// rotate turns n down to this side; its child on the other side takes its place.
func (s *search) rotate(n raw.Addr, side uintptr) {
	riser := child(n, 1-side)
	middle := child(riser, side)
	up, upSide := place(n)
	setChild(n, 1-side, middle)
	if middle != 0 {
		setParent(middle, n)
	}
	s.hang(up, upSide, riser)
	setChild(riser, side, n)
	setParent(n, riser)
}

// max returns the tree node of the largest size, or 0.
func (s *search) max() raw.Addr {
	n := s.root
	if n == 0 {
		return 0
	}
	for r := child(n, right); r != 0; r = child(n, right) {
		n = r
	}
	return n
}

// all yields the tree nodes in ascending order.
func (s *search) all(yield func(raw.Addr) bool) {
	if s.root == 0 {
		return
	}
	for n := leftmost(s.root); n != 0; n = successor(n) {
		if !yield(n) {
			return
		}
	}
}

// successor returns the node of the next larger size, or 0.
func successor(n raw.Addr) raw.Addr {
	if r := child(n, right); r != 0 {
		return leftmost(r)
	}
	up, side := place(n)
	for up != 0 && side == right {
		up, side = place(up)
	}
	return up
}

// check walks the subtree at n, which hangs from up and holds the sizes between
// above and below, both exclusive, where 0 is no bound. weigh checks a node
// against the heights of its subtrees and returns its own.
func (s *search) check(c *census, n, up raw.Addr, above, below uintptr, weigh weigher) (height int, err error) {
	if n == 0 {
		return 0, nil
	}
	if err := c.visit(n, up); err != nil {
		return 0, err
	}
	size := Size(n)
	if size <= above || below != 0 && size >= below {
		return 0, fault("T1", n, "its place is for sizes above %d and below %d (0: no bound)", above, below)
	}
	l, err := s.check(c, child(n, left), n, above, size, weigh)
	if err != nil {
		return 0, err
	}
	r, err := s.check(c, child(n, right), n, size, below, weigh)
	if err != nil {
		return 0, err
	}
	return weigh(n, l, r)
}

// weigher returns the height of n above subtrees of these heights, in the
// measure of its kind of tree, or an error if n breaks that kind's rule.
type weigher func(n raw.Addr, l, r int) (int, error)
