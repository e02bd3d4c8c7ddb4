// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

// holder holds a crowd on one heap. It knows its blocks by a table of their
// addresses and writes the first byte of each. The sizes are summed up beside
// the requests and counted after each loop. native/crowd.h does the same.
type holder struct {
	heap   heap
	count  work.Counts
	rand   work.Rand
	crowd  work.Crowd
	blocks []ref
}

// Prepare implements [work.Holder].
func (h *holder) Prepare() {
	h.blocks = make([]ref, h.crowd.Live)
	h.Forget() // which makes the table's pages resident
	h.heap.prepare(0)
	if h.heap.warmUp() {
		h.warmUp()
	}
}

// warmUp makes a round that nobody times.
func (h *holder) warmUp() {
	_ = h.Open()
	h.Fill()
	h.Replace()
	h.Free()
	_ = h.Close()
}

// Open implements [work.Holder].
func (h *holder) Open() error {
	h.count = work.Counts{}
	h.rand = work.Seed
	return h.heap.open()
}

// Fill implements [work.Holder].
func (h *holder) Fill() {
	h.heap.rewind()
	bytes := 0
	for i := range h.blocks {
		n := h.randomSize()
		h.blocks[i] = h.newBlock(n)
		bytes += n
	}
	h.count.AllocAll(len(h.blocks), bytes)
}

// Replace implements [work.Holder].
func (h *holder) Replace() {
	last := uint64(len(h.blocks) - 1)
	bytes := 0
	for range h.crowd.Replace {
		i := h.rand.Between(0, last)
		h.heap.free(h.blocks[i])
		n := h.randomSize()
		h.blocks[i] = h.newBlock(n)
		bytes += n
	}
	h.count.FreeAll(h.crowd.Replace)
	h.count.AllocAll(h.crowd.Replace, bytes)
}

// Free implements [work.Holder]. Its order is that of the table, which is that
// of the addresses only as far as nothing was replaced.
func (h *holder) Free() {
	for i, p := range h.blocks {
		h.heap.free(p)
		h.blocks[i] = none()
	}
	h.count.FreeAll(len(h.blocks))
}

func (h *holder) randomSize() int { return h.rand.Between(work.CrowdLeast, work.CrowdMost) }

// newBlock allocates n bytes and writes the first.
func (h *holder) newBlock(n int) ref {
	p := h.heap.alloc(n)
	*at[byte](p) = byte(n)
	return p
}

// Sum implements [work.Holder].
func (h *holder) Sum() uint64 {
	sum := uint64(len(h.blocks))
	for i := 0; i < len(h.blocks); i += work.Stride(len(h.blocks)) {
		sum = work.Mix(sum, uint64(*at[byte](h.blocks[i])))
	}
	return sum
}

// Forget implements [work.Holder].
func (h *holder) Forget() { clear(h.blocks) }

// Close implements [work.Holder].
func (h *holder) Close() error { return h.heap.close() }

// Drop implements [work.Holder].
func (h *holder) Drop() error { return h.heap.drop() }

// Counts implements [work.Holder].
func (h *holder) Counts() work.Counts { return h.count }

// Peak implements [work.Holder].
func (h *holder) Peak() (int64, bool) { return h.heap.peak() }
