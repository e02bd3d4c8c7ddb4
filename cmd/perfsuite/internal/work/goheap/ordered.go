// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

package goheap

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// mapNode is a node of an ordered map of int to string, 72 bytes.
type mapNode struct {
	red                 bool
	key                 int32
	parent, left, right ref
	_                   [32 - 3*unsafe.Sizeof(uintptr(0))]byte
	value               str
}

var _ [work.MapNodeSize]byte = [unsafe.Sizeof(mapNode{})]byte{}

// ordered is a red-black tree as std::map is one (Cormen, Leiserson, Rivest and
// Stein, "Introduction to Algorithms", chapter 13): every path from the root
// has the same number of black nodes, and no red node has a red child. Missing
// nodes count as black. Removing relinks nodes and never moves a value.
type ordered struct{ root ref }

func node(r ref) *mapNode { return at[mapNode](r) }

func isRed(r ref) bool { return !isNone(r) && node(r).red }

// find returns the node with key, or none.
func (t *ordered) find(key int32) ref {
	r := t.root
	for !isNone(r) {
		n := node(r)
		if n.key == key {
			return r
		}
		smaller, larger := n.left, n.right
		r = larger
		if key < n.key {
			r = smaller
		}
	}
	return r
}

// insert links the node at r, whose key is set and not in t. The way down is in
// local variables alone, as in libstdc++: a store to a node on each level would
// make the next one wait. Both links are read before one is chosen, here and in
// find, so that the choice, which cannot be predicted, is no branch.
func (t *ordered) insert(r ref) {
	key, parent, left := node(r).key, none(), false
	for next := t.root; !isNone(next); {
		parent = next
		p := node(next)
		smaller, larger := p.left, p.right
		left = key < p.key
		next = larger
		if left {
			next = smaller
		}
	}
	n := node(r)
	n.left, n.right, n.parent, n.red = none(), none(), parent, true
	switch {
	case isNone(parent):
		t.root = r
	case left:
		node(parent).left = r
	default:
		node(parent).right = r
	}
	t.insertFix(r)
}

// insertFix repairs a red node r below a red parent.
func (t *ordered) insertFix(r ref) {
	for isRed(node(r).parent) {
		parent := node(r).parent
		grand := node(parent).parent
		onLeft := parent == node(grand).left
		uncle := node(grand).child(!onLeft)
		if isRed(uncle) {
			node(parent).red, node(uncle).red, node(grand).red = false, false, true
			r = grand
			continue
		}
		if r == node(parent).child(!onLeft) {
			t.rotate(parent, onLeft)
			parent = r
		}
		node(parent).red, node(grand).red = false, true
		t.rotate(grand, !onLeft)
		break
	}
	node(t.root).red = false
}

// remove unlinks the node at r. Its own fields stay as they were.
func (t *ordered) remove(r ref) {
	n := *node(r)
	var moved, parent ref // what takes the place of the lost node, and its parent
	lostRed := n.red
	switch {
	case isNone(n.left):
		moved, parent = n.right, n.parent
		t.replace(r, n.parent, moved)
	case isNone(n.right):
		moved, parent = n.left, n.parent
		t.replace(r, n.parent, moved)
	default:
		moved, parent, lostRed = t.removeInner(r, &n)
	}
	if !lostRed {
		t.removeFix(moved, parent)
	}
}

// removeInner puts the successor of r, which has two children, in r's place.
// The node that is lost is the one where the successor was.
func (t *ordered) removeInner(r ref, n *mapNode) (moved, parent ref, lostRed bool) {
	next := n.right
	for !isNone(node(next).left) {
		next = node(next).left
	}
	s := node(next)
	moved, parent, lostRed = s.right, s.parent, s.red
	if parent == r {
		parent = next
	} else {
		t.replace(next, parent, moved)
		s.right = n.right
		node(s.right).parent = next
	}
	t.replace(r, n.parent, next)
	s.left, s.red = n.left, n.red
	node(s.left).parent = next
	return moved, parent, lostRed
}

// removeFix gives the paths through r, which may be none and lies below
// parent, the black node that they lack.
func (t *ordered) removeFix(r, parent ref) {
	for r != t.root && !isRed(r) {
		onLeft := r == node(parent).left
		sibling := node(parent).child(!onLeft)
		if node(sibling).red {
			node(sibling).red, node(parent).red = false, true
			t.rotate(parent, onLeft)
			sibling = node(parent).child(!onLeft)
		}
		s := node(sibling)
		near, far := s.child(onLeft), s.child(!onLeft)
		if !isRed(near) && !isRed(far) {
			s.red = true
			r, parent = parent, node(parent).parent
			continue
		}
		if !isRed(far) {
			node(near).red, s.red = false, true
			t.rotate(sibling, !onLeft)
			sibling, far = near, sibling
		}
		node(sibling).red, node(parent).red, node(far).red = node(parent).red, false, false
		t.rotate(parent, onLeft)
		r = t.root
	}
	if !isNone(r) {
		node(r).red = false
	}
}

// child returns the left or the right child.
func (n *mapNode) child(left bool) ref {
	if left {
		return n.left
	}
	return n.right
}

// replace hangs by, which may be none, below parent in the place of r.
func (t *ordered) replace(r, parent, by ref) {
	switch {
	case isNone(parent):
		t.root = by
	case node(parent).left == r:
		node(parent).left = by
	default:
		node(parent).right = by
	}
	if !isNone(by) {
		node(by).parent = parent
	}
}

// rotate moves r down to the left or to the right; its other child takes its
// place.
func (t *ordered) rotate(r ref, left bool) {
	n := node(r)
	var up, inner ref
	if left {
		up = n.right
		inner = node(up).left
		n.right, node(up).left = inner, r
	} else {
		up = n.left
		inner = node(up).right
		n.left, node(up).right = inner, r
	}
	if !isNone(inner) {
		node(inner).parent = r
	}
	t.replace(r, n.parent, up)
	n.parent = up
}
