// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

package goheap

const (
	largeRing        = 4 // blocks of perf_10's ring
	largeTurns       = 10_000
	largeLo, largeHi = 128 << 10, 4 << 20 // bytes

	smallRing        = 1024 // blocks of perf_11's ring
	smallTurns       = 1_000_000
	smallLo, smallHi = 16, 2047 // bytes
)

// perf10 starts with an empty ring, as perf11 does: the first turns find no
// block to free.
func (w *runner) perf10() uint64 {
	for turn := range w.times(largeTurns) {
		i := turn % largeRing
		if !isNone(w.blocks[i]) {
			w.freeBlock(i)
		}
		n := w.rand.Between(largeLo, largeHi)
		p := w.newBlock(n)
		*at[byte](plus(p, n-1)) = byte(turn)
		w.blocks[i] = p
	}
	return w.sumBlocks()
}

// perf11 keeps its numbers in local variables, for the reason that perf5 does.
func (w *runner) perf11() uint64 {
	blocks, rand, turns := w.blocks, w.rand, w.times(smallTurns)
	bytes, frees := 0, 0
	for turn := range turns {
		i := turn % smallRing
		if !isNone(blocks[i]) {
			w.heap.free(blocks[i])
			frees++
		}
		n := rand.Between(smallLo, smallHi)
		p := w.heap.alloc(n)
		*at[byte](p) = byte(n)
		blocks[i] = p
		bytes += n
	}
	w.rand = rand
	w.count.AllocAll(turns, bytes)
	w.count.FreeAll(frees)
	return w.sumBlocks()
}
