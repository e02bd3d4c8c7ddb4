// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

const (
	copies      = 1_000_000 // of the string of perf_1 and perf_2
	growthSteps = 10_000    // of the string of perf_3 and perf_4
)

// text is the string that perf_1 and perf_2 copy. It belongs to the caller, so
// it is no part of the stream.
var text = func() []byte {
	b := make([]byte, 200)
	for i := range b {
		b[i] = '0' + byte(i%10)
	}
	return b
}()

// stringVector is a growing array of strings; its header is the workload's own.
type stringVector struct {
	data     ref
	len, cap int
}

func (v *stringVector) at(i int) *str { return at[str](plus(v.data, i*work.StringSize)) }

// push adds a string made of chars at the end of v.
func (w *runner) push(v *stringVector, chars []byte) {
	if v.len == v.cap {
		w.pushGrow(v, chars)
		return
	}
	w.construct(v.at(v.len), chars)
	v.len++
}

// pushGrow does what push does when v is full, in libstdc++'s order: storage of
// twice the size, the new string, the others, and only then the old storage.
func (w *runner) pushGrow(v *stringVector, chars []byte) {
	next := stringVector{len: v.len, cap: max(1, 2*v.cap)}
	w.count.Alloc(next.cap * work.StringSize)
	next.data = w.heap.allocStrings(next.cap)
	w.construct(next.at(next.len), chars)
	next.len++
	if v.cap != 0 {
		copy(slice[str](next.data, v.len), slice[str](v.data, v.len))
		w.count.Free()
		w.heap.free(v.data)
	}
	*v = next
}

// clearStrings destroys the strings of v, which keeps its storage.
func (w *runner) clearStrings(v *stringVector) {
	for i := range v.len {
		w.destroy(v.at(i))
	}
	v.len = 0
}

// freeStrings destroys the vector of strings.
func (w *runner) freeStrings() {
	w.clearStrings(&w.strings)
	w.count.Free()
	w.heap.free(w.strings.data)
	w.strings = stringVector{}
}

// freeGrown destroys the grown string and the vector, the younger first.
func (w *runner) freeGrown() {
	w.destroy(&w.source)
	w.freeStrings()
}

func (w *runner) perf1() uint64 {
	w.pushCopies()
	return w.strings.sum()
}

func (w *runner) perf2() uint64 {
	w.pushCopies()
	w.clearStrings(&w.strings)
	w.pushCopies()
	return w.strings.sum()
}

func (w *runner) pushCopies() {
	v := &w.strings
	for range w.times(copies) {
		w.push(v, text)
	}
}

func (w *runner) perf3() uint64 {
	w.pushGrowing()
	return w.strings.sum()
}

func (w *runner) perf4() uint64 {
	w.pushGrowing()
	w.clearStrings(&w.strings)
	w.source.clear()
	w.pushGrowing()
	return w.strings.sum()
}

func (w *runner) pushGrowing() {
	v, s := &w.strings, &w.source
	for i := range w.times(growthSteps) {
		w.appendChar(s, 'a'+byte(i%26))
		w.push(v, s.buffer()[:s.size])
	}
}

// sum returns a checksum over a sample of the strings.
func (v *stringVector) sum() uint64 {
	sum := uint64(v.len)
	for i := 0; i < v.len; i += work.Stride(v.len) {
		sum = work.Mix(sum, v.at(i).sum())
	}
	return sum
}
