// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

const (
	coalesceBlocks = 100_000 // of perf_7
	coalesceSize   = 1024    // bytes each

	holesBlocks      = 20_000 // of perf_8
	holesRounds      = 10
	holesLo, holesHi = 256, 8192 // bytes

	reallocBlocks           = 1_000     // of perf_9
	reallocStep, reallocEnd = 64, 32768 // bytes
)

// newBlock allocates n bytes and writes the first.
func (w *runner) newBlock(n int) ref {
	w.count.Alloc(n)
	p := w.heap.alloc(n)
	*at[byte](p) = byte(n)
	return p
}

// freeBlock frees block i and forgets it.
func (w *runner) freeBlock(i int) {
	w.count.Free()
	w.heap.free(w.blocks[i])
	w.blocks[i] = none()
}

// freeBlocks frees the blocks that are there, in order.
func (w *runner) freeBlocks() {
	for i, p := range w.blocks {
		if !isNone(p) {
			w.freeBlock(i)
		}
	}
}

func (w *runner) perf7() uint64 {
	for i := range w.blocks {
		w.blocks[i] = w.newBlock(coalesceSize)
	}
	return w.sumBlocks()
}

// freeInterleaved frees every second block, so that no two free ones touch, and
// then the others, each of which joins its neighbours.
func (w *runner) freeInterleaved() {
	for i := 0; i < len(w.blocks); i += 2 {
		w.freeBlock(i)
	}
	for i := 1; i < len(w.blocks); i += 2 {
		w.freeBlock(i)
	}
}

func (w *runner) perf8() uint64 {
	w.fillHoles()
	for range holesRounds {
		for i := range w.blocks {
			if w.rand.Next()&1 == 1 {
				w.freeBlock(i)
			}
		}
		w.fillHoles()
	}
	return w.sumBlocks()
}

func (w *runner) fillHoles() {
	for i, p := range w.blocks {
		if isNone(p) {
			w.blocks[i] = w.newBlock(w.rand.Between(holesLo, holesHi))
		}
	}
}

func (w *runner) perf9() uint64 {
	for i := range w.blocks {
		w.count.Alloc(reallocStep)
		w.grow(i, 0, reallocStep)
	}
	for size := 2 * reallocStep; size <= reallocEnd; size += reallocStep {
		for i := range w.blocks {
			w.count.Realloc(size)
			w.grow(i, size-reallocStep, size)
		}
	}
	return w.sumBlocks()
}

// grow reallocates block i from old to size bytes and writes the last.
func (w *runner) grow(i, old, size int) {
	p := w.heap.realloc(w.blocks[i], old, size)
	w.blocks[i] = p
	*at[byte](plus(p, size-1)) = byte(size)
}

// sumBlocks returns a checksum over a sample of the blocks' first bytes, or of
// the byte that the first step of perf_9 wrote last.
func (w *runner) sumBlocks() uint64 {
	offset := 0
	if w.test == work.Reallocations {
		offset = reallocStep - 1
	}
	sum := uint64(len(w.blocks))
	for i := 0; i < len(w.blocks); i += work.Stride(len(w.blocks)) {
		if p := w.blocks[i]; !isNone(p) {
			sum = work.Mix(sum, uint64(*at[byte](plus(p, offset))))
		}
	}
	return sum
}
