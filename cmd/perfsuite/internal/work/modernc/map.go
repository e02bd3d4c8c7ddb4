// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

const (
	mapKeys  = 60_000 // of perf_6
	valueMax = 999    // characters
)

// filler is what the map's values consist of.
var filler = func() []byte {
	b := make([]byte, valueMax)
	for i := range b {
		b[i] = 'x'
	}
	return b
}()

// put inserts a key that is not in the map. The node comes first and the body
// of its value second, as when std::map::emplace makes the pair in place.
func (w *runner) put(key int32, chars []byte) {
	w.count.Alloc(work.MapNodeSize)
	r := w.heap.allocMapNode()
	n := node(r)
	n.key = key
	w.construct(&n.value, chars)
	w.tree.insert(r)
}

// erase removes a key that is in the map.
func (w *runner) erase(key int32) {
	r := w.tree.find(key)
	w.tree.remove(r)
	w.drop(r)
}

// drop destroys the value in a node and then the node.
func (w *runner) drop(r ref) {
	w.destroy(&node(r).value)
	w.count.Free()
	w.heap.free(r)
}

func (w *runner) perf6() uint64 {
	w.shuffleKeys()
	for _, k := range w.keys {
		w.put(k, w.randomChars())
	}
	for i := 0; i < len(w.keys); i += 2 {
		w.erase(w.keys[i])
	}
	for i := 0; i < len(w.keys); i += 2 {
		w.put(w.keys[i], w.randomChars())
	}
	return w.sumMap()
}

func (w *runner) shuffleKeys() {
	for i := range w.keys {
		w.keys[i] = int32(i)
	}
	for i := len(w.keys) - 1; i >= 1; i-- {
		j := w.rand.Next() % uint64(i+1)
		w.keys[i], w.keys[j] = w.keys[j], w.keys[i]
	}
}

func (w *runner) randomChars() []byte { return filler[:w.rand.Between(0, valueMax)] }

// freeMap clears the map in libstdc++'s order: of each subtree first all to the
// right, then the node, then all to the left.
func (w *runner) freeMap() {
	w.freeSubtree(w.tree.root)
	w.tree = ordered{}
}

func (w *runner) freeSubtree(r ref) {
	for !isNone(r) {
		n := node(r)
		w.freeSubtree(n.right)
		left := n.left
		w.drop(r)
		r = left
	}
}

// sumMap returns a checksum over a sample of the map.
func (w *runner) sumMap() uint64 {
	sum := uint64(len(w.keys))
	for k := 0; k < len(w.keys); k += work.Stride(len(w.keys)) {
		n := node(w.tree.find(int32(k)))
		sum = work.Mix(sum, uint64(n.key))
		sum = work.Mix(sum, n.value.sum())
	}
	return sum
}
