// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

const (
	listLength = 100_000 // of perf_5's list, while it is used as a queue
	listRounds = 40      // how often as many are pushed and popped
)

// listNode is a node of a doubly linked list of int, 24 bytes.
type listNode struct {
	next, prev ref
	value      int32
	_          [work.ListNodeSize - 4 - 2*unsafe.Sizeof(uintptr(0))]byte
}

var _ [work.ListNodeSize]byte = [unsafe.Sizeof(listNode{})]byte{}

// queue is a doubly linked list. Its ends are the workload's own.
type queue struct{ first, last ref }

func (w *runner) pushBack(value int32) {
	w.count.Alloc(work.ListNodeSize)
	r := w.heap.allocListNode()
	n := at[listNode](r)
	n.next, n.prev, n.value = none(), w.queue.last, value
	if isNone(w.queue.last) {
		w.queue.first = r
	} else {
		at[listNode](w.queue.last).next = r
	}
	w.queue.last = r
}

// popFront removes the first node, which must be there.
func (w *runner) popFront() {
	r := w.queue.first
	next := at[listNode](r).next
	w.queue.first = next
	if isNone(next) {
		w.queue.last = none()
	} else {
		at[listNode](next).prev = none()
	}
	w.count.Free()
	w.heap.free(r)
}

func (w *runner) perf5() uint64 {
	n := w.times(listLength)
	for i := range n {
		w.pushBack(int32(i))
	}
	for i := range listRounds * n {
		w.pushBack(int32(i))
		w.popFront()
	}
	return w.queue.sum()
}

// freeList clears the list from its front.
func (w *runner) freeList() {
	for !isNone(w.queue.first) {
		w.popFront()
	}
}

// sum returns a checksum over the first nodes.
func (q *queue) sum() uint64 {
	sum := uint64(0)
	r := q.first
	for i := 0; i < work.Sample && !isNone(r); i++ {
		n := at[listNode](r)
		sum = work.Mix(sum, uint64(n.value))
		r = n.next
	}
	return sum
}
