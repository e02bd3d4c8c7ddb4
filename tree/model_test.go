package tree

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/emirpasic/gods/trees/redblacktree"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// key orders the oracle's nodes: by size, and by address where sizes are equal.
type key struct {
	size uintptr
	node raw.Addr
}

func compareKeys(a, b any) int {
	x, y := a.(key), b.(key)
	return cmp.Or(cmp.Compare(x.size, y.size), cmp.Compare(x.node, y.node))
}

// model runs every operation on a tree and on an oracle from another library,
// and reports the first difference.
type model struct {
	tree   Tree
	oracle *redblacktree.Tree
	bytes  uintptr
	free   []raw.Addr // not in the tree
	held   []raw.Addr // in the tree, in no order
}

func newModel(k Kind, nodes []raw.Addr) *model {
	m := &model{oracle: redblacktree.NewWith(compareKeys), free: slices.Clone(nodes)}
	m.tree.Init(k)
	return m
}

// insert adds a free node, if there is one.
func (m *model) insert(size uintptr) {
	if len(m.free) == 0 {
		return
	}
	node := m.free[len(m.free)-1]
	m.free = m.free[:len(m.free)-1]
	m.held = append(m.held, node)
	m.oracle.Put(key{size, node}, nil)
	m.bytes += size
	m.tree.Insert(node, size)
}

// remove takes out the i-th held node, counted around, if there is one.
func (m *model) remove(i int) {
	if len(m.held) == 0 {
		return
	}
	node := m.held[i%len(m.held)]
	m.forget(node, Size(node))
	m.tree.Remove(node)
}

// take compares TakeBestFit with the oracle's ceiling.
func (m *model) take(size uintptr) error {
	want, found := m.oracle.Ceiling(key{size, 0})
	peek := m.tree.BestFit(size)
	got := m.tree.TakeBestFit(size)
	if got != peek {
		return fmt.Errorf("BestFit(%d) = %#x, but TakeBestFit took %#x", size, peek, got)
	}
	if !found {
		if got != 0 {
			return fmt.Errorf("TakeBestFit(%d) = %#x, want none", size, got)
		}
		return nil
	}
	wantSize := want.Key.(key).size
	if got == 0 || Size(got) != wantSize {
		return fmt.Errorf("TakeBestFit(%d) = %#x, want size %d", size, got, wantSize)
	}
	if !m.forget(got, wantSize) {
		return fmt.Errorf("TakeBestFit(%d) = %#x, which was not in the tree", size, got)
	}
	return nil
}

// forget takes a node out of the oracle and reports whether it was there.
func (m *model) forget(node raw.Addr, size uintptr) bool {
	if _, found := m.oracle.Get(key{size, node}); !found {
		return false
	}
	m.oracle.Remove(key{size, node})
	m.bytes -= size
	i := slices.Index(m.held, node)
	m.held = slices.Delete(m.held, i, i+1)
	m.free = append(m.free, node)
	return true
}

func (m *model) clear() {
	m.tree.Clear()
	m.oracle.Clear()
	m.bytes = 0
	m.free = append(m.free, m.held...)
	m.held = m.held[:0]
}

// check compares all that can be seen of the tree with the oracle.
func (m *model) check() error {
	if err := m.tree.Check(); err != nil {
		return err
	}
	if m.tree.Count() != m.oracle.Size() || m.tree.Bytes() != m.bytes {
		return fmt.Errorf("Count, Bytes = %d, %d, want %d, %d", m.tree.Count(), m.tree.Bytes(), m.oracle.Size(), m.bytes)
	}
	if err := m.checkMax(); err != nil {
		return err
	}
	return m.checkAll()
}

func (m *model) checkMax() error {
	got, want := m.tree.Max(), m.oracle.Right()
	if want == nil {
		if got != 0 {
			return fmt.Errorf("Max() = %#x, want none", got)
		}
		return nil
	}
	if size := want.Key.(key).size; got == 0 || Size(got) != size {
		return fmt.Errorf("Max() = %#x, want size %d", got, size)
	}
	return nil
}

func (m *model) checkAll() error {
	var got []key
	for node, size := range m.tree.All() {
		got = append(got, key{size, node})
	}
	sorted := slices.IsSortedFunc(got, func(a, b key) int { return cmp.Compare(a.size, b.size) })
	if m.tree.Kind() != Trie && !sorted {
		return fmt.Errorf("All() is not ascending: %v", got)
	}
	slices.SortFunc(got, func(a, b key) int { return compareKeys(a, b) })
	want := make([]key, 0, len(got))
	for _, k := range m.oracle.Keys() {
		want = append(want, k.(key))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("All() = %v, want %v", got, want)
	}
	return nil
}
