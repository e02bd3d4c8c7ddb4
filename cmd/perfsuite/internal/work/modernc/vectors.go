// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

const (
	vectorCount  = 10_000 // of perf_12
	vectorPushes = 256    // to each
	intSize      = 4      // bytes of an element
)

// intVector is a growing array of int32; its header is the workload's own.
type intVector struct {
	data     ref
	len, cap int
}

func (v *intVector) at(i int) *int32 { return at[int32](plus(v.data, i*intSize)) }

func (w *runner) pushInt(v *intVector, value int32) {
	if v.len == v.cap {
		w.growInts(v, value)
	} else {
		*v.at(v.len) = value
	}
	v.len++
}

// growInts moves v to storage of twice the size that already holds value.
func (w *runner) growInts(v *intVector, value int32) {
	next := intVector{len: v.len, cap: max(1, 2*v.cap)}
	w.count.Alloc(next.cap * intSize)
	next.data = w.heap.alloc(next.cap * intSize)
	*next.at(v.len) = value
	if v.cap != 0 {
		copy(slice[int32](next.data, v.len), slice[int32](v.data, v.len))
		w.count.Free()
		w.heap.free(v.data)
	}
	*v = next
}

func (w *runner) perf12() uint64 {
	for round := range vectorPushes {
		for i := range w.vectors {
			w.pushInt(&w.vectors[i], int32(round^i))
		}
	}
	return w.sumVectors()
}

func (w *runner) freeVectors() {
	for i := range w.vectors {
		w.count.Free()
		w.heap.free(w.vectors[i].data)
		w.vectors[i] = intVector{}
	}
}

// sumVectors returns a checksum over a sample of the vectors' elements.
func (w *runner) sumVectors() uint64 {
	sum := uint64(len(w.vectors))
	for i := 0; i < len(w.vectors); i += work.Stride(len(w.vectors)) {
		v := &w.vectors[i]
		sum = work.Mix(sum, uint64(*v.at(i % v.len)))
	}
	return sum
}
