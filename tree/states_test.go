package tree

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// TestEveryReachableState visits every tree that any sequence of insertions and
// removals can lead to, with at most so many nodes of so many different sizes,
// and tries every operation in each. That covers all insertion orders followed by
// all removal orders, and everything between, without running them one by one:
// what a tree does next depends on its shape only, so each shape is tried once.
func TestEveryReachableState(t *testing.T) {
	const unit = 2 * raw.Word
	low := uintptr(1) << binShift
	for _, c := range []struct {
		name  string
		sizes []uintptr
		count int // of nodes
		equal int // at most so many of one size
	}{
		// Four sizes of one bin that part at different bits, and two other bins.
		{"equal sizes", []uintptr{low, low + unit, low + 2*unit, low + 7*unit, 2 * low, ^uintptr(0)}, 6, 6},
		{"one bin", []uintptr{4 * low, 4*low + unit, 5*low - unit, 5 * low, 5*low + 3*unit, 6*low - unit}, 6, 2},
		// Enough levels for a repair to climb.
		{"different sizes", []uintptr{1 * low, 2 * low, 3 * low, 4 * low, 5 * low, 6 * low, 7 * low, 8 * low, 9 * low}, 9, 1},
	} {
		eachKind(t, func(t *testing.T, kind Kind) {
			t.Run(c.name, func(t *testing.T) {
				e := newExplorer(kind, c.sizes, nodes(t, c.count), c.equal)
				if err := e.run(); err != nil {
					t.Fatal(err)
				}
				t.Logf("%d states, %d operations", len(e.seen), e.operations)
			})
		})
	}
}

// explorer walks through the states of a tree.
type explorer struct {
	tree       Tree
	sizes      []uintptr // ascending
	nodes      []raw.Addr
	equal      int
	memory     []byte // the memory of nodes
	seen       map[string]bool
	open       []snapshot // states whose operations are still to be tried
	operations int
}

// snapshot is a tree with all its words, to return to.
type snapshot struct {
	count    uint32
	bytes    uintptr
	bound    uintptr
	balanced balanced
	trie     trie // if it is one
	memory   []byte
}

func newExplorer(kind Kind, sizes []uintptr, nodes []raw.Addr, equal int) *explorer {
	e := &explorer{sizes: sizes, nodes: nodes, equal: equal, seen: map[string]bool{}}
	e.memory = raw.Bytes(nodes[0], uintptr(len(nodes))*spacing)
	e.tree.Init(kind)
	e.arrive()
	return e
}

func (e *explorer) run() error {
	for len(e.open) > 0 {
		from := e.open[len(e.open)-1]
		e.open = e.open[:len(e.open)-1]
		if err := e.tryAll(from); err != nil {
			return err
		}
	}
	return nil
}

// tryAll applies every operation to a state.
func (e *explorer) tryAll(from snapshot) error {
	e.restore(from)
	held, sizes := e.held()
	for _, size := range e.sizes {
		e.restore(from)
		if err := e.checkFit(size, sizes); err != nil {
			return fmt.Errorf("with %d: %w", sizes, err)
		}
		if err := e.tryTake(from, size, sizes); err != nil {
			return fmt.Errorf("with %d, TakeBestFit(%d): %w", sizes, size, err)
		}
		if err := e.tryInsert(from, size, held, sizes); err != nil {
			return fmt.Errorf("with %d, Insert(%d): %w", sizes, size, err)
		}
	}
	for i, n := range held {
		e.restore(from)
		e.tree.Remove(n)
		if err := e.expect(slices.Delete(slices.Clone(sizes), i, i+1)); err != nil {
			return fmt.Errorf("with %d, Remove of number %d: %w", sizes, i, err)
		}
	}
	return nil
}

func (e *explorer) tryTake(from snapshot, size uintptr, sizes []uintptr) error {
	e.restore(from)
	got := e.tree.TakeBestFit(size)
	i, _ := slices.BinarySearch(sizes, size)
	if i == len(sizes) {
		if got != 0 {
			return fmt.Errorf("got %#x, want none", got)
		}
		return nil
	}
	if got == 0 || Size(got) != sizes[i] {
		return fmt.Errorf("got %#x, want size %d", got, sizes[i])
	}
	return e.expect(slices.Delete(slices.Clone(sizes), i, i+1))
}

func (e *explorer) tryInsert(from snapshot, size uintptr, held []raw.Addr, sizes []uintptr) error {
	e.restore(from)
	i, _ := slices.BinarySearch(sizes, size)
	equal := 0
	for _, s := range sizes[i:] {
		if s == size {
			equal++
		}
	}
	if len(held) == len(e.nodes) || equal == e.equal {
		return nil
	}
	free := slices.IndexFunc(e.nodes, func(n raw.Addr) bool { return !slices.Contains(held, n) })
	e.tree.Insert(e.nodes[free], size)
	return e.expect(slices.Insert(slices.Clone(sizes), i, size))
}

// checkFit compares BestFit with a look at all sizes.
func (e *explorer) checkFit(size uintptr, sizes []uintptr) error {
	for _, ask := range []uintptr{size - 1, size, size + 1} {
		got := e.tree.BestFit(ask)
		i, _ := slices.BinarySearch(sizes, ask)
		if i == len(sizes) && got != 0 || i < len(sizes) && (got == 0 || Size(got) != sizes[i]) {
			return fmt.Errorf("BestFit(%d) = %#x", ask, got)
		}
	}
	return nil
}

// expect checks the tree after an operation, and adds it to the open states if
// its shape is new.
func (e *explorer) expect(want []uintptr) error {
	e.operations++
	if err := e.tree.Check(); err != nil {
		return err
	}
	if _, got := e.held(); !slices.Equal(got, want) {
		return fmt.Errorf("holds %d, want %d", got, want)
	}
	if m := e.tree.Max(); len(want) > 0 && (m == 0 || Size(m) != want[len(want)-1]) {
		return fmt.Errorf("Max() = %#x, want size %d", m, want[len(want)-1])
	}
	e.arrive()
	return nil
}

// held returns the nodes in the tree and their sizes, both ascending by size.
func (e *explorer) held() ([]raw.Addr, []uintptr) {
	var held []raw.Addr
	for n := range e.tree.All() {
		held = append(held, n)
	}
	slices.SortFunc(held, func(a, b raw.Addr) int { return compareKeys(key{Size(a), a}, key{Size(b), b}) })
	var sizes []uintptr
	for _, n := range held {
		sizes = append(sizes, Size(n))
	}
	return held, sizes
}

func (e *explorer) arrive() {
	shape := e.shape()
	if e.seen[shape] {
		return
	}
	e.seen[shape] = true
	s := snapshot{count: e.tree.count, bytes: e.tree.bytes, bound: e.tree.bound, balanced: e.tree.balanced, memory: bytes.Clone(e.memory)}
	if e.tree.trie != nil {
		s.trie = *e.tree.trie
	}
	e.open = append(e.open, s)
}

func (e *explorer) restore(s snapshot) {
	e.tree.count, e.tree.bytes, e.tree.bound = s.count, s.bytes, s.bound
	e.tree.balanced = s.balanced
	if e.tree.trie != nil {
		*e.tree.trie = s.trie
	}
	copy(e.memory, s.memory)
}

// shape returns what makes two states alike: which sizes hang where, in which
// state, and in how long rings. Which node is which does not matter.
func (e *explorer) shape() string {
	var shape []byte
	switch e.tree.Kind() {
	case RB:
		shape = appendShape(shape, e.tree.rb().root)
	case AVL:
		shape = appendShape(shape, e.tree.avl().root)
	default:
		for _, root := range e.tree.trie.roots {
			shape = appendShape(shape, root)
		}
	}
	return string(shape)
}

func appendShape(shape []byte, n raw.Addr) []byte {
	if n == 0 {
		return append(shape, 0)
	}
	ring := byte(1)
	for m := next(n); m != n; m = next(m) {
		ring++
	}
	shape = append(shape, ring, byte(state(n)))
	shape = binary.AppendUvarint(shape, uint64(Size(n)))
	return appendShape(appendShape(shape, child(n, left)), child(n, right))
}
