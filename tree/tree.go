package tree

import (
	"fmt"
	"iter"

	"github.com/cookmem-go/cookmem/internal/invariants"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// Tree is a set of free chunks ordered by size. The zero value is an empty tree
// of kind [RB]. A Tree must not be copied once it holds nodes, and one goroutine
// at a time may use it.
type Tree struct {
	_     noCopy
	kind  uint8  // a Kind
	count uint32 // it would take 4 TiB of free chunks to wrap
	bytes uintptr
	bound uintptr // no node is larger; a search beyond it ends before it begins

	// Only the one that kind names is in use. The trie is large, and made by Init.
	balanced balanced // red-black or AVL, in the same word: contexts have no room for two
	trie     *trie
}

// balanced is what red-black and AVL trees look like from here.
type balanced struct{ search }

func (t *Tree) rb() *redBlack { return (*redBlack)(&t.balanced) }
func (t *Tree) avl() *avl     { return (*avl)(&t.balanced) }

// Init makes t an empty tree of kind k; nodes it held are forgotten. It panics
// if k is none of [Kinds].
func (t *Tree) Init(k Kind) {
	if !k.valid() {
		panic(fmt.Sprintf("tree: Init with %v", k))
	}
	t.kind = uint8(k)
	if k == Trie && t.trie == nil {
		t.trie = new(trie)
	}
	t.Clear()
}

// Clear forgets all nodes without touching them; their memory may be gone
// already. The kind stays.
func (t *Tree) Clear() {
	t.count, t.bytes, t.bound = 0, 0, 0
	t.balanced = balanced{}
	if t.trie != nil {
		*t.trie = trie{}
	}
}

// Kind returns how t is organised.
func (t *Tree) Kind() Kind { return Kind(t.kind) }

// Count returns the number of nodes in t.
func (t *Tree) Count() int { return int(t.count) }

// Bytes returns the sum of the sizes of the nodes in t.
func (t *Tree) Bytes() uintptr { return t.bytes }

// Insert adds the node at address node under the key size, in bytes, which must
// not be 0. node is aligned to a word and not in a tree; its [NodeSize] bytes
// belong to t until it is taken out.
func (t *Tree) Insert(node raw.Addr, size uintptr) {
	if invariants.Enabled {
		mustAccept(node, size)
	}
	t.count++
	t.bytes += size
	t.bound = max(t.bound, size)
	switch t.Kind() {
	case RB:
		t.rb().insert(node, size)
	case AVL:
		t.avl().insert(node, size)
	default:
		t.trie.insert(node, size)
	}
}

// Remove takes node, which must be in t, out of it. Nothing is searched for.
func (t *Tree) Remove(node raw.Addr) {
	if invariants.Enabled {
		t.mustHold(node)
	}
	t.count--
	t.bytes -= Size(node)
	heir := next(node)
	if heir == node {
		t.uproot(node)
		return
	}
	leaveRing(node)
	if parent(node) != ringed {
		t.promote(heir, node)
	}
}

// BestFit returns a node of the smallest size that is at least size, or 0 if
// there is none. The node stays in t. Among equal sizes it is the one that
// [Tree.TakeBestFit] would take.
func (t *Tree) BestFit(size uintptr) raw.Addr {
	n, _ := t.bestFit(size)
	if n == 0 {
		return 0
	}
	return next(n)
}

// bestFit returns the tree node of the smallest size that is at least size, or
// 0, and what else the search came by. A heap that grows asks in vain each time,
// and for that the bound is kept: a failure lowers it, an insertion raises it.
func (t *Tree) bestFit(size uintptr) (n, leaf raw.Addr) {
	if size > t.bound {
		return 0, 0
	}
	switch t.Kind() {
	case RB:
		n = t.rb().bestFit(size)
	case AVL:
		n = t.avl().bestFit(size)
	default:
		n, leaf = t.trie.bestFit(size)
	}
	if n == 0 && size > 0 {
		t.bound = size - 1
	}
	return n, leaf
}

// TakeBestFit takes a node of the smallest size that is at least size out of t
// and returns it, or 0 if there is none. It saves over [Tree.BestFit] and
// [Tree.Remove] what the search knows already.
func (t *Tree) TakeBestFit(size uintptr) raw.Addr {
	n, leaf := t.bestFit(size)
	if n == 0 {
		return 0
	}
	t.count--
	t.bytes -= Size(n)
	if last := next(n); last != n {
		leaveRing(last)
		return last
	}
	switch t.Kind() {
	case RB:
		t.rb().remove(n)
	case AVL:
		t.avl().remove(n)
	default:
		t.trie.remove(n, leaf)
	}
	return n
}

// Max returns a node of the largest size, or 0 if t is empty.
func (t *Tree) Max() raw.Addr {
	var n raw.Addr
	switch t.Kind() {
	case RB:
		n = t.rb().max()
	case AVL:
		n = t.avl().max()
	default:
		n = t.trie.max()
	}
	if n == 0 {
		return 0
	}
	return next(n)
}

// All returns every node with its size: in ascending order of size for RB and
// AVL, in no order to rely on for Trie. t must not change during the loop.
func (t *Tree) All() iter.Seq2[raw.Addr, uintptr] {
	return func(yield func(raw.Addr, uintptr) bool) {
		for n := range t.tops() {
			size := Size(n)
			if !yield(n, size) {
				return
			}
			for m := next(n); m != n; m = next(m) {
				if !yield(m, size) {
					return
				}
			}
		}
	}
}

// tops returns the nodes that hang in the tree itself, one of each size.
func (t *Tree) tops() iter.Seq[raw.Addr] {
	switch t.Kind() {
	case RB:
		return t.rb().all
	case AVL:
		return t.avl().all
	default:
		return t.trie.all
	}
}

// uproot takes n, which is alone in its ring, out of the tree.
func (t *Tree) uproot(n raw.Addr) {
	switch t.Kind() {
	case RB:
		t.rb().remove(n)
	case AVL:
		t.avl().remove(n)
	default:
		t.trie.remove(n, 0)
	}
}

// promote puts heir, a ring member, in the place of the tree node n.
func (t *Tree) promote(heir, n raw.Addr) {
	p := parent(n)
	adopt(n, heir)
	if p != 0 {
		setChild(p, sideOf(p, n), heir)
		return
	}
	*t.root(Size(n)) = heir
}

// root returns where the root above a node of this size is kept.
func (t *Tree) root(size uintptr) *raw.Addr {
	switch t.Kind() {
	case RB:
		return &t.rb().root
	case AVL:
		return &t.avl().root
	default:
		return &t.trie.roots[binOf(size)]
	}
}

// noCopy lets go vet report copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
