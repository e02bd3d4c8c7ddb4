package floor

import (
	"flag"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// TestMain takes the seed of a failed random test back. rapid prints it.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := os.Getenv("COOKMEM_SEED"); seed != "" {
		if err := flag.Set("rapid.seed", seed); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestOrderedAgainstMap does the same to the ordered map and to a Go map and
// compares both after each step, from none to a few hundred keys.
func TestOrderedAgainstMap(t *testing.T) {
	w := &runner{scale: 1} // one for all, because its memory is dear
	rapid.Check(t, func(t *rapid.T) {
		if err := w.Open(); err != nil {
			t.Fatal(err)
		}
		want := map[int32]int{}
		top := rapid.Int32Range(1, 300).Draw(t, "largest key")
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			step(t, w, want, rapid.Int32Range(0, top).Draw(t, "key"))
			checkOrdered(t, &w.tree, want)
		}
	})
}

// step erases key if it is there and puts it if it is not.
func step(t *rapid.T, w *runner, want map[int32]int, key int32) {
	if _, ok := want[key]; ok {
		delete(want, key)
		w.erase(key)
		return
	}
	want[key] = rapid.IntRange(0, 40).Draw(t, "characters")
	w.put(key, filler[:want[key]])
}

// TestOrderedAllOrders erases five keys in every order from trees that were
// filled in every order.
func TestOrderedAllOrders(t *testing.T) {
	w := &runner{scale: 1}
	orders := permutations(5)
	for _, in := range orders {
		for _, out := range orders {
			if err := w.Open(); err != nil {
				t.Fatal(err)
			}
			want := map[int32]int{}
			for _, k := range in {
				w.put(k, nil)
				want[k] = 0
				checkOrdered(t, &w.tree, want)
			}
			for _, k := range out {
				w.erase(k)
				delete(want, k)
				checkOrdered(t, &w.tree, want)
			}
		}
	}
}

func permutations(n int32) [][]int32 {
	if n == 0 {
		return [][]int32{nil}
	}
	var all [][]int32
	for _, p := range permutations(n - 1) {
		for i := range len(p) + 1 {
			all = append(all, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return all
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// checkOrdered compares the tree with the map and derives its rules anew.
func checkOrdered(t fataler, tree *ordered, want map[int32]int) {
	t.Helper()
	if isRed(tree.root) {
		t.Fatalf("the root is red")
	}
	var keys []int32
	checkSubtree(t, tree.root, none(), &keys)
	if len(keys) != len(want) || !slices.IsSorted(keys) {
		t.Fatalf("keys in the tree: %v, want those of %v in order", keys, want)
	}
	for k, size := range want {
		r := tree.find(k)
		if isNone(r) {
			t.Fatalf("key %d is not found", k)
		}
		if s := &node(r).value; int(s.size) != size || string(s.buffer()[:size]) != string(filler[:size]) {
			t.Fatalf("key %d has %d characters, want %d", k, s.size, size)
		}
	}
}

// checkSubtree collects the keys at and below r and returns the number of black
// nodes on the way down.
func checkSubtree(t fataler, r, parent ref, keys *[]int32) int {
	if isNone(r) {
		return 0
	}
	n := node(r)
	if n.parent != parent {
		t.Fatalf("node %d has a wrong parent", n.key)
	}
	if n.red && (isRed(n.left) || isRed(n.right)) {
		t.Fatalf("red node %d has a red child", n.key)
	}
	left := checkSubtree(t, n.left, r, keys)
	*keys = append(*keys, n.key)
	if right := checkSubtree(t, n.right, r, keys); left != right {
		t.Fatalf("node %d has %d black nodes to the left and %d to the right", n.key, left, right)
	}
	if n.red {
		return left
	}
	return left + 1
}

// TestWindows makes sure that a window is at least twice what its workload can
// hold at once.
func TestWindows(t *testing.T) {
	most := map[work.Test]int{
		work.Reallocations: reallocBlocks * reallocEnd,
		work.LargeRing:     largeRing * largeHi,
		work.SmallRing:     smallRing * (smallHi + 1),
	}
	for test, bytes := range most {
		if windows[test] < 2*bytes {
			t.Errorf("the window of %v has %d bytes, want twice %d", test, windows[test], bytes)
		}
	}
}
