package tree

import "github.com/cookmem-go/cookmem/internal/raw"

// The colours, kept in a node's state. A missing child counts as black.
const (
	black uintptr = 0
	red   uintptr = 1
)

// redBlack is the red-black tree of Guibas and Sedgewick (1978).
type redBlack struct{ search }

func isRed(n raw.Addr) bool { return n != 0 && state(n) == red }

func (t *redBlack) insert(node raw.Addr, size uintptr) {
	same, up := t.descend(size)
	if same != 0 {
		joinRing(same, node, size)
		return
	}
	t.attach(node, up, size, red)
	t.settle(node)
}

// settle repairs the colours above n, a red node whose parent may be red too.
func (t *redBlack) settle(n raw.Addr) {
	for {
		p := parent(n)
		if p == 0 {
			setState(n, black)
			return
		}
		if state(p) == black {
			return
		}
		g := parent(p) // exists, because a red node is no root
		side := sideOf(g, p)
		uncle := child(g, 1-side)
		if !isRed(uncle) {
			t.straighten(g, p, n, side)
			return
		}
		setState(p, black)
		setState(uncle, black)
		setState(g, red)
		n = g
	}
}

// straighten ends settle: p, red, hangs on this side of g, black; n, red, on
// either side of p. The middle one of the three comes to stand above the others.
func (t *redBlack) straighten(g, p, n raw.Addr, side uintptr) {
	if child(p, 1-side) == n {
		t.rotate(p, side)
		p = n
	}
	t.rotate(g, 1-side)
	setState(p, black)
	setState(g, red)
}

// remove takes n, alone in its ring, out of the tree.
func (t *redBlack) remove(n raw.Addr) {
	up, side, lost := t.cut(n)
	if lost == red {
		return
	}
	filler := t.root
	if up != 0 {
		filler = child(up, side)
	}
	if filler != 0 {
		// A node with one child is black and the child red, or the heights
		// below would differ.
		setState(filler, black)
		return
	}
	t.refill(up, side)
}

// refill repairs a tree in which every path through this side of up meets one
// black node too few.
func (t *redBlack) refill(up raw.Addr, side uintptr) {
	for up != 0 {
		sibling := child(up, 1-side)
		if state(sibling) == red {
			t.rotate(up, side)
			setState(sibling, black)
			setState(up, red)
			sibling = child(up, 1-side)
		}
		if isRed(child(sibling, side)) || isRed(child(sibling, 1-side)) {
			t.lend(up, sibling, side)
			return
		}
		setState(sibling, red)
		if state(up) == red {
			setState(up, black)
			return
		}
		up, side = place(up)
	}
}

// lend ends refill: the black sibling has a red child to give, which makes up
// for the black node that the other side lacks.
func (t *redBlack) lend(up, sibling raw.Addr, side uintptr) {
	if far := child(sibling, 1-side); isRed(far) {
		setState(far, black)
	} else {
		near := child(sibling, side)
		t.rotate(sibling, 1-side) // near takes its place, with the sibling below as the far child
		sibling = near
	}
	t.rotate(up, side)
	setState(sibling, state(up))
	setState(up, black)
}

func (t *redBlack) check(c *census) error {
	if isRed(t.root) {
		return fault("T4", t.root, "the root is red")
	}
	_, err := t.search.check(c, t.root, 0, 0, 0, weighColours)
	return err
}

// weighColours returns the number of black nodes on a path down from n.
func weighColours(n raw.Addr, l, r int) (int, error) {
	if l != r {
		return 0, fault("T4", n, "%d black nodes on a path to the left and %d to the right", l, r)
	}
	switch state(n) {
	case black:
		return l + 1, nil
	case red:
		if isRed(child(n, left)) || isRed(child(n, right)) {
			return 0, fault("T4", n, "a red node has a red child")
		}
		return l, nil
	default:
		return 0, fault("T4", n, "its state is no colour")
	}
}
