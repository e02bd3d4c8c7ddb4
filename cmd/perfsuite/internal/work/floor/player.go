package floor

import (
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// player plays a tape on one heap. It does to each block the least that the
// program will have done to it: it writes the first byte, the last one and one
// in every page, so that resident memory is what it was there, and reads the
// first and the last byte before the block goes. native/tape.h does the same.
type player struct {
	heap   heap
	count  work.Counts
	tape   *tape.Tape
	blocks []ref // by slot
}

// pageStep is the distance at which a block is written.
const pageStep = 4096

// Prepare implements [work.Runner]. The tape is the workload.
func (p *player) Prepare(t work.Test) {
	p.blocks = make([]ref, max(1, p.tape.Slots())) // a reset names slot 0
	p.Forget()                                     // which makes the table's pages resident
	p.heap.prepare(t)
	if p.heap.warmUp() {
		p.warmUp()
	}
}

func (p *player) warmUp() {
	_ = p.Open()
	p.Body()
	p.Finish()
	_ = p.Close()
}

// Open implements [work.Runner].
func (p *player) Open() error {
	p.count = work.Counts{}
	p.Forget()
	return p.heap.open()
}

// Body implements [work.Runner].
func (p *player) Body() uint64 { return p.play(p.tape.Body()) }

// Finish implements [work.Runner].
func (p *player) Finish() { p.play(p.tape.Tail()) }

// play makes the requests and returns a checksum of what it read.
func (p *player) play(steps []tape.Step) (sum uint64) {
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		n, old, stamp := int(s.N), int(s.Old), byte(i)
		block := &p.blocks[s.Slot]
		switch s.Kind {
		case tape.Alloc:
			p.count.Alloc(n)
			*block = p.heap.alloc(n)
			write(*block, 0, n, stamp)
		case tape.Zeroed:
			p.count.Alloc(n)
			*block = p.heap.allocZeroed(n)
			sum = read(*block, n, sum)
			write(*block, 0, n, stamp)
		case tape.Aligned:
			p.count.Alloc(n)
			*block = p.heap.allocAligned(n, s.Align())
			write(*block, 0, n, stamp)
		case tape.Realloc:
			p.count.Realloc(n)
			*block = p.heap.realloc(*block, old, n)
			sum = readResized(*block, old, n, sum)
			write(*block, old, n, stamp)
		case tape.ReallocAligned:
			p.count.Realloc(n)
			*block = p.heap.reallocAligned(*block, old, n, s.Align())
			sum = readResized(*block, old, n, sum)
			write(*block, old, n, stamp)
		case tape.Free:
			p.count.Free()
			sum = read(*block, old, sum)
			p.heap.free(*block)
			*block = none()
		case tape.FreeAligned:
			p.count.Free()
			sum = read(*block, old, sum)
			p.heap.freeAligned(*block)
			*block = none()
		case tape.Drop:
			p.count.Free()
			p.heap.free(*block)
			*block = none()
		case tape.DropAligned:
			p.count.Free()
			p.heap.freeAligned(*block)
			*block = none()
		case tape.Reset:
			if p.heap.reset() {
				p.count.FreeAll(n)
				i += n
			}
		}
	}
	return sum
}

// write touches the bytes of a block of n bytes from the byte from on, and its
// last byte in any case.
func write(block ref, from, n int, stamp byte) {
	if n == 0 {
		return
	}
	b := slice[byte](block, n)
	for i := from; i < n; i += pageStep {
		b[i] = stamp
	}
	b[n-1] = stamp
}

// read mixes the ends of the first n bytes of a block into a checksum.
func read(block ref, n int, sum uint64) uint64 {
	if n == 0 {
		return sum
	}
	b := slice[byte](block, n)
	return work.Mix(sum, uint64(b[0])<<8|uint64(b[n-1]))
}

// readResized is read for a block that had old bytes and now has n. Of one that
// was cut, the new last byte may never have been written.
func readResized(block ref, old, n int, sum uint64) uint64 {
	if n < old {
		return read(block, min(n, 1), sum)
	}
	return read(block, old, sum)
}

// Close implements [work.Runner].
func (p *player) Close() error { return p.heap.close() }

// Forget implements [work.Runner].
func (p *player) Forget() { clear(p.blocks) }

// Drop implements [work.Runner].
func (p *player) Drop() error { return p.heap.drop() }

// Counts implements [work.Runner].
func (p *player) Counts() work.Counts { return p.count }

// Peak implements [work.Runner].
func (p *player) Peak() (int64, bool) { return p.heap.peak() }
