// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

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

func (w *runner) perf11() uint64 {
	for turn := range w.times(smallTurns) {
		i := turn % smallRing
		if !isNone(w.blocks[i]) {
			w.freeBlock(i)
		}
		w.blocks[i] = w.newBlock(w.rand.Between(smallLo, smallHi))
	}
	return w.sumBlocks()
}
