package tree

import "github.com/cookmem-go/cookmem/internal/raw"

// The balances, kept in a node's state: even, or heavy on one side.
const even uintptr = 0

func heavy(side uintptr) uintptr { return 1 + side }

// avl is the height-balanced tree of Adelson-Velsky and Landis (1962).
type avl struct{ search }

func (t *avl) insert(node raw.Addr, size uintptr) {
	same, up := t.descend(size)
	if same != 0 {
		joinRing(same, node, size)
		return
	}
	t.grown(up, t.attach(node, up, size, even))
}

// grown repairs the balances from up to the root, after the subtree on this side
// of it became one level higher.
func (t *avl) grown(up raw.Addr, side uintptr) {
	for up != 0 {
		switch state(up) {
		case even:
			setState(up, heavy(side))
			up, side = place(up)
		case heavy(side):
			t.rebalance(up, side)
			return
		default:
			setState(up, even)
			return
		}
	}
}

// remove takes n, alone in its ring, out of the tree.
func (t *avl) remove(n raw.Addr) {
	up, side, _ := t.cut(n)
	t.shrunk(up, side)
}

// shrunk repairs the balances from up to the root, after the subtree on this
// side of it lost a level.
func (t *avl) shrunk(up raw.Addr, side uintptr) {
	for up != 0 {
		above, aboveSide := place(up)
		switch state(up) {
		case even:
			setState(up, heavy(1-side))
			return
		case heavy(side):
			setState(up, even)
		default:
			if !t.rebalance(up, 1-side) {
				return
			}
		}
		up, side = above, aboveSide
	}
}

// rebalance repairs n, whose subtree on this side is two levels higher than the
// other. It reports whether the whole lost a level by that.
func (t *avl) rebalance(n raw.Addr, side uintptr) bool {
	c := child(n, side)
	switch state(c) {
	case heavy(1 - side):
		t.rotateTwice(n, c, side)
		return true
	case even:
		t.rotate(n, 1-side)
		setState(n, heavy(side))
		setState(c, heavy(1-side))
		return false
	default:
		t.rotate(n, 1-side)
		setState(n, even)
		setState(c, even)
		return true
	}
}

// rotateTwice lifts the inner child of c, which hangs on this side of n, above
// both. What was heavy below it decides which of the two stays short.
func (t *avl) rotateTwice(n, c raw.Addr, side uintptr) {
	inner := child(c, 1-side)
	was := state(inner)
	t.rotate(c, side)
	t.rotate(n, 1-side)
	setState(inner, even)
	setState(n, even)
	setState(c, even)
	switch was {
	case heavy(side):
		setState(n, heavy(1-side))
	case heavy(1 - side):
		setState(c, heavy(side))
	}
}

func (t *avl) check(c *census) error {
	_, err := t.search.check(c, t.root, 0, 0, 0, weighBalance)
	return err
}

// weighBalance returns the number of levels of the subtree at n.
func weighBalance(n raw.Addr, l, r int) (int, error) {
	want := even
	switch {
	case l == r+1:
		want = heavy(left)
	case r == l+1:
		want = heavy(right)
	case l != r:
		return 0, fault("T5", n, "its subtrees have %d and %d levels", l, r)
	}
	if state(n) != want {
		return 0, fault("T5", n, "its state should be %d, with %d levels to the left and %d to the right", want, l, r)
	}
	return max(l, r) + 1, nil
}
