package tree

import (
	"fmt"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// Check walks all of t, recomputes what T1 to T9 of the package documentation
// say, and returns an error that quotes the number, the node and its words, or
// nil. Damaged links are noticed before they are followed where their alignment
// gives them away; any other one must lead to readable memory: see [Tree.CheckWhere].
func (t *Tree) Check() error {
	return t.CheckWhere(func(raw.Addr) bool { return true })
}

// CheckWhere is Check for a caller who knows where nodes can be: a link to an
// address for which possible is false is an error and not followed.
func (t *Tree) CheckWhere(possible func(node raw.Addr) bool) error {
	c := census{limit: int(t.count), possible: possible}
	var err error
	switch t.Kind() {
	case RB:
		err = t.rb().check(&c)
	case AVL:
		err = t.avl().check(&c)
	default:
		err = t.trie.check(&c)
	}
	if err == nil {
		err = c.compare(t)
	}
	if err != nil {
		return fmt.Errorf("tree: %v: %w", t.Kind(), err)
	}
	return nil
}

// census counts the nodes that a check has reached.
type census struct {
	count int
	bytes uintptr

	largest uintptr
	limit   int // more nodes than this are not looked at: links may lead in a circle

	possible func(node raw.Addr) bool
}

func (c *census) add(n raw.Addr) error {
	if c.count == c.limit {
		return fault("T8", n, "count is %d, but more nodes are reachable", c.limit)
	}
	c.count++
	c.bytes += Size(n)
	c.largest = max(c.largest, Size(n))
	return nil
}

func (c *census) compare(t *Tree) error {
	switch {
	case c.count != int(t.count):
		return fmt.Errorf("T8: count is %d, but %d nodes are reachable", t.count, c.count)
	case c.bytes != t.bytes:
		return fmt.Errorf("T8: bytes is %d, but the sizes of the nodes add up to %d", t.bytes, c.bytes)
	case c.largest > t.bound:
		return fmt.Errorf("T8: no node should be larger than %d, but one has %d", t.bound, c.largest)
	}
	return nil
}

// visit checks what all kinds have in common at the tree node n, reached from
// up, and counts its ring.
func (c *census) visit(n, up raw.Addr) error {
	if err := c.checkLink(n, up); err != nil {
		return err
	}
	if p := parent(n); p != up {
		return fault("T2", n, "parent is %#x, but it hangs from %#x", p, up)
	}
	if err := c.add(n); err != nil {
		return err
	}
	return c.visitRing(n)
}

func (c *census) visitRing(host raw.Addr) error {
	last := host
	for n := next(host); n != host; n = next(n) {
		if err := c.checkLink(n, last); err != nil {
			return err
		}
		if p := parent(n); p != ringed {
			return fault("T3", n, "parent is %#x, but it is in the ring of %#x", p, host)
		}
		if Size(n) != Size(host) {
			return fault("T3", n, "it is in the ring of %#x, whose size is %d", host, Size(host))
		}
		if prev(n) != last {
			return fault("T3", n, "prev is %#x, but it follows %#x", prev(n), last)
		}
		if err := c.add(n); err != nil {
			return err
		}
		last = n
	}
	if prev(host) != last {
		return fault("T3", host, "prev is %#x, but the ring ends with %#x", prev(host), last)
	}
	return nil
}

// checkLink checks the link to n that was found in from, or in a root if that is 0.
func (c *census) checkLink(n, from raw.Addr) error {
	if isAligned(n) && c.possible(n) {
		return nil
	}
	if from == 0 {
		return fmt.Errorf("T9: a root is %#x, which is no address of a node", n)
	}
	return fault("T9", from, "it links to %#x, which is no address of a node", n)
}

// isAligned reports whether n can be the address of a node by its alignment.
func isAligned(n raw.Addr) bool { return n != 0 && n%raw.Word == 0 }

// fault says that a rule is broken at n, and shows n's words.
func fault(rule string, n raw.Addr, format string, args ...any) error {
	return fmt.Errorf("%s at node %#x: %s (size %d, left %#x, right %#x, parent %#x, state %d, next %#x, prev %#x)",
		rule, n, fmt.Sprintf(format, args...),
		Size(n), child(n, left), child(n, right), parent(n), state(n), next(n), prev(n))
}

// mustAccept panics if node cannot be inserted under size.
func mustAccept(node raw.Addr, size uintptr) {
	if !isAligned(node) || size == 0 {
		panic(fmt.Sprintf("tree: Insert of node %#x with size %d", node, size))
	}
}

// mustHold panics if the words around node contradict that it is in t.
func (t *Tree) mustHold(node raw.Addr) {
	if err := t.checkAround(node); err != nil {
		panic(fmt.Sprintf("tree: %v: Remove: %v", t.Kind(), err))
	}
}

func (t *Tree) checkAround(n raw.Addr) error {
	if next(prev(n)) != n || prev(next(n)) != n {
		return fault("T3", n, "its neighbours in the ring do not link back")
	}
	p := parent(n)
	if p == ringed {
		return nil
	}
	if p == 0 && *t.root(Size(n)) != n {
		return fault("T2", n, "it has no parent, but the root is %#x", *t.root(Size(n)))
	}
	if p != 0 && child(p, sideOf(p, n)) != n {
		return fault("T2", n, "its parent does not link to it")
	}
	for _, side := range [...]uintptr{left, right} {
		if c := child(n, side); c != 0 && parent(c) != n {
			return fault("T2", n, "its child %#x does not link back", c)
		}
	}
	return nil
}
