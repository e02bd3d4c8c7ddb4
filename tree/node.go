package tree

import "github.com/cookmem-go/cookmem/internal/raw"

// NodeSize is the number of bytes at a node's address that a tree writes to
// while the node is in it.
const NodeSize = 7 * raw.Word

// Offsets of a node's words. The two links down are neighbours, so that a side
// computed from a comparison is an index and not a branch.
const (
	sizeAt   = 0 * raw.Word
	childAt  = 1 * raw.Word
	parentAt = 3 * raw.Word
	stateAt  = 4 * raw.Word
	nextAt   = 5 * raw.Word
	prevAt   = 6 * raw.Word
)

// The sides of a node. 1-side is the other one.
const (
	left  uintptr = 0
	right uintptr = 1
)

// ringed is the parent word of a node that hangs in the ring of another. No node
// lies at an odd address.
const ringed raw.Addr = 1

// Size returns the size under which node was inserted. node must be in a tree.
func Size(node raw.Addr) uintptr { return raw.Load(node + sizeAt) }

func child(n raw.Addr, side uintptr) raw.Addr {
	return raw.Addr(raw.Load(n + childAt + raw.Addr(side)*raw.Word))
}

func parent(n raw.Addr) raw.Addr { return raw.Addr(raw.Load(n + parentAt)) }
func state(n raw.Addr) uintptr   { return raw.Load(n + stateAt) }
func next(n raw.Addr) raw.Addr   { return raw.Addr(raw.Load(n + nextAt)) }
func prev(n raw.Addr) raw.Addr   { return raw.Addr(raw.Load(n + prevAt)) }

func setSize(n raw.Addr, size uintptr) { raw.Store(n+sizeAt, size) }

func setChild(n raw.Addr, side uintptr, c raw.Addr) {
	raw.Store(n+childAt+raw.Addr(side)*raw.Word, uintptr(c))
}

func setParent(n, p raw.Addr)        { raw.Store(n+parentAt, uintptr(p)) }
func setState(n raw.Addr, s uintptr) { raw.Store(n+stateAt, s) }
func setNext(n, m raw.Addr)          { raw.Store(n+nextAt, uintptr(m)) }
func setPrev(n, m raw.Addr)          { raw.Store(n+prevAt, uintptr(m)) }

// sideOf returns the side of p on which n hangs.
func sideOf(p, n raw.Addr) uintptr {
	if child(p, right) == n {
		return right
	}
	return left
}

// plant writes the words of a node that becomes a leaf under p, alone in its ring.
func plant(n raw.Addr, size uintptr, p raw.Addr, state uintptr) {
	setSize(n, size)
	setChild(n, left, 0)
	setChild(n, right, 0)
	setParent(n, p)
	setState(n, state)
	setNext(n, n)
	setPrev(n, n)
}

// joinRing puts n into the ring of the tree node host, where a search will meet
// it first.
func joinRing(host, n raw.Addr, size uintptr) {
	after := next(host)
	setSize(n, size)
	setParent(n, ringed)
	setNext(n, after)
	setPrev(n, host)
	setPrev(after, n)
	setNext(host, n)
}

// leaveRing takes n out of its ring.
func leaveRing(n raw.Addr) {
	before, after := prev(n), next(n)
	setNext(before, after)
	setPrev(after, before)
}

// adopt makes heir hang where n hung, but for the link down to it, which only
// n's owner can reach when n is a root.
func adopt(n, heir raw.Addr) {
	l, r := child(n, left), child(n, right)
	setChild(heir, left, l)
	setChild(heir, right, r)
	setParent(heir, parent(n))
	setState(heir, state(n))
	if l != 0 {
		setParent(l, heir)
	}
	if r != 0 {
		setParent(r, heir)
	}
}

// leftmost returns the node that the left links lead to from n.
func leftmost(n raw.Addr) raw.Addr {
	for l := child(n, left); l != 0; l = child(n, left) {
		n = l
	}
	return n
}
