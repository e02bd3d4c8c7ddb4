package floor

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

// perf5 has the list's ends and the count of turns in local variables, as a
// compiler of std::list would: its steps are so short that a call or a store
// more in each would be a good part of what is measured.
func (w *runner) perf5() uint64 {
	n := w.times(listLength)
	q := w.fillQueue(n)
	turns := listRounds * n
	for i := range turns {
		r := w.heap.allocListNode()
		q.append(r, int32(i))
		old := q.removeFirst()
		w.heap.free(old)
	}
	w.count.AllocAll(turns, turns*work.ListNodeSize)
	w.count.FreeAll(turns)
	w.queue = q
	return q.sum()
}

// fillQueue returns a list of the numbers from 0 to n-1.
func (w *runner) fillQueue(n int) (q queue) {
	for i := range n {
		q.append(w.heap.allocListNode(), int32(i))
	}
	w.count.AllocAll(n, n*work.ListNodeSize)
	return q
}

// freeList clears the list from its front.
func (w *runner) freeList() {
	q, n := w.queue, 0
	for ; !isNone(q.first); n++ {
		w.heap.free(q.removeFirst())
	}
	w.count.FreeAll(n)
	w.queue = q
}

// append makes the block r the last node.
func (q *queue) append(r ref, value int32) {
	n := at[listNode](r)
	n.next, n.prev, n.value = none(), q.last, value
	if isNone(q.last) {
		q.first = r
	} else {
		at[listNode](q.last).next = r
	}
	q.last = r
}

// removeFirst takes out the first node, which must be there, and returns its
// block.
func (q *queue) removeFirst() ref {
	r := q.first
	q.first = at[listNode](r).next
	if isNone(q.first) {
		q.last = none()
	} else {
		at[listNode](q.first).prev = none()
	}
	return r
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
