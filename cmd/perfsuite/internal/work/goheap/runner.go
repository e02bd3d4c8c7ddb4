// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

package goheap

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

// runner runs the workloads on one heap. What a workload keeps between its body
// and the final freeing lies here; its tables are made once and serve all runs,
// so that they neither cost time nor leave garbage.
type runner struct {
	heap   heap
	count  work.Counts
	rand   work.Rand
	scale  int
	test   work.Test
	body   func() uint64
	finish func()

	strings stringVector
	source  str
	queue   queue
	tree    ordered
	keys    []int32
	blocks  []ref
	vectors []intVector
}

// times returns n scaled down, at least 1.
func (w *runner) times(n int) int { return max(1, n/w.scale) }

// Prepare implements [work.Runner]. It writes the tables, so that their pages
// are resident before the first run.
func (w *runner) Prepare(t work.Test) {
	w.test = t
	w.bind()
	w.Forget()
	clear(w.keys)
	w.heap.prepare(t)
	if w.heap.warmUp() {
		w.warmUp()
	}
}

// warmUp makes a run that nobody times. It cannot fail: only a heap without a
// system behind it asks for it.
func (w *runner) warmUp() {
	_ = w.Open()
	w.Body()
	w.Finish()
	_ = w.Close()
}

// bind chooses the two halves of the workload and makes its tables.
func (w *runner) bind() {
	switch w.test {
	case work.Strings:
		w.body, w.finish = w.perf1, w.freeStrings
	case work.StringsTwice:
		w.body, w.finish = w.perf2, w.freeStrings
	case work.Growing:
		w.body, w.finish = w.perf3, w.freeGrown
	case work.GrowingTwice:
		w.body, w.finish = w.perf4, w.freeGrown
	case work.List:
		w.body, w.finish = w.perf5, w.freeList
	case work.Map:
		w.body, w.finish = w.perf6, w.freeMap
		w.keys = make([]int32, w.times(mapKeys))
	case work.Coalesce:
		w.body, w.finish = w.perf7, w.freeInterleaved
		w.blocks = make([]ref, w.times(coalesceBlocks))
	case work.Holes:
		w.body, w.finish = w.perf8, w.freeBlocks
		w.blocks = make([]ref, w.times(holesBlocks))
	case work.Reallocations:
		w.body, w.finish = w.perf9, w.freeBlocks
		w.blocks = make([]ref, w.times(reallocBlocks))
	case work.LargeRing:
		w.body, w.finish = w.perf10, w.freeBlocks
		w.blocks = make([]ref, largeRing)
	case work.SmallRing:
		w.body, w.finish = w.perf11, w.freeBlocks
		w.blocks = make([]ref, smallRing)
	case work.Vectors:
		w.body, w.finish = w.perf12, w.freeVectors
		w.vectors = make([]intVector, w.times(vectorCount))
	}
}

// Open implements [work.Runner].
func (w *runner) Open() error {
	w.count = work.Counts{}
	w.rand = work.Seed
	w.Forget()
	return w.heap.open()
}

// Forget implements [work.Runner].
func (w *runner) Forget() {
	w.strings, w.source = stringVector{}, emptyString()
	w.queue, w.tree = queue{}, ordered{}
	clear(w.blocks)
	clear(w.vectors)
}

// Body implements [work.Runner].
func (w *runner) Body() uint64 { return w.body() }

// Finish implements [work.Runner].
func (w *runner) Finish() { w.finish() }

// Close implements [work.Runner].
func (w *runner) Close() error { return w.heap.close() }

// Drop implements [work.Runner].
func (w *runner) Drop() error { return w.heap.drop() }

// Counts implements [work.Runner].
func (w *runner) Counts() work.Counts { return w.count }

// Peak implements [work.Runner].
func (w *runner) Peak() (int64, bool) { return w.heap.peak() }
