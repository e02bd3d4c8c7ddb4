package tree

import (
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// victim is a sound tree to be broken: nodes of the sizes 1024 to 7*1024, of
// which those of 4*1024 form a ring of three.
type victim struct {
	*Tree
	bySize map[uintptr]raw.Addr // the tree nodes, by size/1024
	member raw.Addr             // in the ring of 4
}

func newVictim(t *testing.T, kind Kind) victim {
	v := victim{&Tree{}, map[uintptr]raw.Addr{}, 0}
	v.Init(kind)
	all := nodes(t, 9)
	for i, k := range []uintptr{4, 2, 6, 1, 3, 5, 7} {
		v.Insert(all[i], k*1024)
		v.bySize[k] = all[i]
	}
	v.Insert(all[7], 4*1024)
	v.Insert(all[8], 4*1024)
	v.member = all[8]
	if err := v.Check(); err != nil {
		t.Fatalf("before the sabotage: %v", err)
	}
	return v
}

// leaf returns a tree node without children, and its parent.
func (v victim) leaf() (leaf, up raw.Addr) {
	for n := range v.tops() {
		if child(n, left) == 0 && child(n, right) == 0 && parent(n) != 0 {
			return n, parent(n)
		}
	}
	panic("no leaf")
}

// twin gives the leaf under a trie's node of its own size.
func (v victim) twin() {
	n := v.bySize[1]
	c := v.bySize[7]
	v.Remove(c)
	plant(c, Size(n), n, 0)
	setChild(n, left, c)
	v.count++
	v.bytes += Size(c)
}

var sabotages = []struct {
	name  string
	kinds []Kind
	do    func(v victim)
	want  []string // in the error
}{
	{"swap two sizes", []Kind{RB, AVL}, func(v victim) {
		setSize(v.bySize[1], 3*1024)
		setSize(v.bySize[3], 1024)
	}, []string{"T1 at node"}},
	{"equal sizes outside a ring", []Kind{RB, AVL}, func(v victim) {
		setSize(v.bySize[1], 2*1024)
		v.bytes += 1024
	}, []string{"T1 at node", "below 2048"}},
	{"size of zero", []Kind{RB, AVL}, func(v victim) { setSize(v.bySize[1], 0) }, []string{"T1 at node"}},

	{"parent of a leaf", Kinds(), func(v victim) {
		leaf, _ := v.leaf()
		setParent(leaf, v.member)
	}, []string{"T2 at node"}},
	{"parent of a root", Kinds(), func(v victim) {
		setParent(*v.root(4 * 1024), v.member)
	}, []string{"T2 at node", "hangs from 0x0"}},
	{"a link down to a node elsewhere", Kinds(), func(v victim) {
		leaf, up := v.leaf()
		setChild(leaf, left, up)
	}, []string{"T2 at node"}},

	{"prev of a ring member", Kinds(), func(v victim) { setPrev(v.member, v.member) }, []string{"T3 at node", "prev"}},
	{"prev of the ring's host", Kinds(), func(v victim) { setPrev(v.bySize[4], v.member) }, []string{"T3 at node", "prev"}},
	{"a ring that leads in a circle", Kinds(), func(v victim) { setNext(v.member, v.member) }, []string{"T3 at node"}},
	{"an unmarked ring member", Kinds(), func(v victim) { setParent(v.member, v.bySize[2]) }, []string{"T3 at node", "in the ring of"}},
	{"another size in a ring", Kinds(), func(v victim) { setSize(v.member, 4*1024+16) }, []string{"T3 at node", "size is 4096"}},
	{"equal sizes on a path", []Kind{Trie}, victim.twin, []string{"T3 at node", "same size"}},

	{"a red root", []Kind{RB}, func(v victim) { setState(v.rb().root, red) }, []string{"T4 at node", "root is red"}},
	{"red below red", []Kind{RB}, func(v victim) {
		for _, k := range []uintptr{1, 3, 5, 7} {
			setState(v.bySize[k], red)
		}
		setState(v.bySize[2], red)
		setState(v.bySize[6], red)
	}, []string{"T4 at node", "red child"}},
	{"too many black nodes", []Kind{RB}, func(v victim) {
		setState(v.bySize[1], black^red^state(v.bySize[1]))
	}, []string{"T4 at node", "black nodes on a path"}},
	{"no colour", []Kind{RB}, func(v victim) { setState(v.bySize[5], 2) }, []string{"T4 at node", "no colour"}},

	{"a wrong balance", []Kind{AVL}, func(v victim) { setState(v.bySize[2], heavy(left)) }, []string{"T5 at node", "should be 0"}},
	{"no balance", []Kind{AVL}, func(v victim) { setState(v.bySize[7], 3) }, []string{"T5 at node", "should be 0"}},
	{"a lost subtree", []Kind{AVL}, func(v victim) { setChild(v.avl().root, right, 0) }, []string{"T5 at node", "2 and 0 levels"}},

	{"another bin", []Kind{Trie}, func(v victim) {
		bin := binOf(1024)
		v.trie.roots[bin+1], v.trie.roots[bin] = v.trie.roots[bin], 0
		v.trie.bitmap ^= 3 << bin
	}, []string{"T6 at node", "it is in bin"}},
	{"a path not spelled", []Kind{Trie}, func(v victim) {
		up := *v.root(5 * 1024)
		l, r := child(up, left), child(up, right)
		setChild(up, left, r)
		setChild(up, right, l)
	}, []string{"T6 at node", "begins"}},

	{"a bit without a root", []Kind{Trie}, func(v victim) { v.trie.bitmap |= 1 << 20 }, []string{"T7", "bin 20"}},
	{"a root without a bit", []Kind{Trie}, func(v victim) { v.trie.bitmap &^= 1 << binOf(4*1024) }, []string{"T7", "the root of bin"}},

	{"count too large", Kinds(), func(v victim) { v.count++ }, []string{"T8", "count is 10, but 9"}},
	{"count too small", Kinds(), func(v victim) { v.count-- }, []string{"T8", "count is 8, but more"}},
	{"bytes", Kinds(), func(v victim) { v.bytes += 16 }, []string{"T8", "bytes is"}},
	{"bound", Kinds(), func(v victim) { v.bound = 16 }, []string{"T8", "larger than 16"}},
	{"a lost leaf", []Kind{Trie}, func(v victim) {
		leaf, up := v.leaf()
		setChild(up, sideOf(up, leaf), 0)
	}, []string{"T8", "count is 9"}},

	{"a link to no word", Kinds(), func(v victim) {
		leaf, _ := v.leaf()
		setChild(leaf, right, 6)
	}, []string{"T9 at node", "links to 0x6"}},
	{"a ring that ends", Kinds(), func(v victim) { setNext(v.member, 0) }, []string{"T9 at node", "links to 0x0"}},
	{"a root that is no word", Kinds(), func(v victim) { *v.root(4 * 1024) |= 1 }, []string{"T9", "a root is"}},
}

func TestCheckNamesSabotage(t *testing.T) {
	for _, s := range sabotages {
		for _, kind := range s.kinds {
			t.Run(s.name+"/"+kind.String(), func(t *testing.T) {
				v := newVictim(t, kind)
				s.do(v)
				expectError(t, v.Check(), append(s.want, "tree: "+kind.String())...)
			})
		}
	}
}

// TestEveryRuleIsSabotaged keeps the table above complete.
func TestEveryRuleIsSabotaged(t *testing.T) {
	for _, rule := range []string{"T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9"} {
		found := false
		for _, s := range sabotages {
			found = found || strings.HasPrefix(s.want[0], rule)
		}
		if !found {
			t.Errorf("no sabotage breaks %s", rule)
		}
	}
}

// TestFaultShowsTheNode: the error must be enough to go looking with.
func TestFaultShowsTheNode(t *testing.T) {
	v := newVictim(t, RB)
	setState(v.bySize[5], 77)
	expectError(t, v.Check(), "size 5120", "left", "right", "parent", "state 77", "next", "prev")
}

// TestChecksAroundANode breaks what a build with invariants looks at whenever a
// node is removed.
func TestChecksAroundANode(t *testing.T) {
	for _, s := range []struct {
		name string
		do   func(v victim) (n raw.Addr)
		want string
	}{
		{"ring", func(v victim) raw.Addr { setPrev(v.member, v.member); return v.member }, "T3"},
		{"root", func(v victim) raw.Addr { setParent(v.bySize[7], 0); return v.bySize[7] }, "T2"},
		{"parent", func(v victim) raw.Addr { n, up := v.leaf(); setChild(up, sideOf(up, n), 0); return n }, "T2"},
		{"child", func(v victim) raw.Addr { n, up := v.leaf(); setParent(n, 0); return up }, "T2"},
	} {
		for _, kind := range Kinds() {
			t.Run(s.name+"/"+kind.String(), func(t *testing.T) {
				v := newVictim(t, kind)
				for n := range v.All() {
					if err := v.checkAround(n); err != nil {
						t.Fatalf("before the sabotage: %v", err)
					}
				}
				n := s.do(v)
				expectError(t, v.checkAround(n), s.want)
				if !panics(func() { v.mustHold(n) }) {
					t.Error("mustHold did not panic")
				}
			})
		}
	}
}

func TestMustAccept(t *testing.T) {
	for _, c := range []struct {
		node raw.Addr
		size uintptr
		want bool // to panic
	}{{64, 1024, false}, {0, 1024, true}, {65, 1024, true}, {64, 0, true}} {
		if got := panics(func() { mustAccept(c.node, c.size) }); got != c.want {
			t.Errorf("mustAccept(%#x, %d) panics: %v", c.node, c.size, got)
		}
	}
}

func expectError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in the error: %v", part, err)
		}
	}
}
