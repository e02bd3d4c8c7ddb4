package memctx

import (
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// Under Checked a freed block is filled and waits, its chunk still in use as far
// as the heap can tell, until newer ones push it out. Only then is it looked at
// for writes after Free, and its memory free. How long it waits is bounded in
// blocks and bytes; what runs out of memory flushes them all.
const (
	delayedBlocks = 1024
	delayedBytes  = 1 << 20
)

// freedBlock is a block that was freed.
type freedBlock struct {
	addr             raw.Addr
	n, size          uintptr // bytes requested, and of its chunk
	align            uintptr
	allocated, freed *diag.Stack
}

func (d *freedBlock) block() diag.Block {
	return diag.Block{Addr: uintptr(d.addr), Size: int(d.n), Align: int(d.align), Exact: true, Stack: d.allocated}
}

// delayLine is a ring of freed blocks. Those from oldest on are waiting; those
// before are remembered, for what a fault can tell, until they are overwritten.
type delayLine struct {
	ring         []freedBlock
	oldest, next uint // count upwards; an index is one modulo the ring's length
	bytes        uintptr
}

func (l *delayLine) at(i uint) *freedBlock { return &l.ring[i%delayedBlocks] }

func (l *delayLine) push(d freedBlock) {
	if l.ring == nil {
		l.ring = make([]freedBlock, delayedBlocks)
	}
	*l.at(l.next) = d
	l.next++
	l.bytes += d.size
}

// pop takes out the block that has waited longest.
func (l *delayLine) pop() freedBlock {
	d := *l.at(l.oldest)
	l.oldest++
	l.bytes -= d.size
	return d
}

func (l *delayLine) waiting() uint { return l.next - l.oldest }

// forget ends all waiting. What can be told of the blocks stays.
func (l *delayLine) forget() { l.oldest, l.bytes = l.next, 0 }

// find returns what is known of the last block that was freed at a, or nil.
func (l *delayLine) find(a raw.Addr) *freedBlock {
	for i := l.next; i > 0 && l.next-i < delayedBlocks; i-- {
		if d := l.at(i - 1); d.addr == a {
			return d
		}
	}
	return nil
}

// makeRoom ends the waiting of enough blocks for others of so many bytes. It comes
// before anything happens to those: a fault is about another block, and a Free that
// raises it has not been, nor any Free of FreeMany.
func (mc *Context) makeRoom(op string, blocks uint, bytes uintptr) {
	l := &mc.watch.line
	for l.waiting() > 0 && (l.waiting()+blocks > delayedBlocks || l.bytes+bytes > delayedBytes) {
		mc.endDelay(op)
	}
}

// delay lets the trailed block b wait, whose guards have been found whole. There is
// room for it; one that is too large by itself does not wait.
func (mc *Context) delay(op string, b, c raw.Addr, size uintptr) {
	w := mc.watch
	n, align, _ := readTrailer(b, c, size)
	diag.Freed(b, n)
	w.blocks.died(b)
	d := freedBlock{addr: b, n: n, size: size, align: align}
	if w.stacks != nil {
		d.allocated, d.freed = w.sites[b], w.stacks.Here(0)
		delete(w.sites, b)
	}
	w.line.push(d)
	for w.line.bytes > delayedBytes {
		mc.endDelay(op)
	}
}

// endDelay frees the block that has waited longest. That it was written to is a
// fault, behind which it is free all the same, unless its head is damaged too.
func (mc *Context) endDelay(op string) {
	d := mc.watch.line.pop()
	c := chunk.OfBlock(d.addr - mc.front())
	head := chunk.Read(c, mc.tag)
	if head.State() != chunk.Trailed || head.Size() != d.size || !mc.plausible(c, d.size) || !mc.canJoin(c, head) {
		mc.fault(diag.Fault{Kind: diag.Corrupt, Op: op, Addr: uintptr(d.addr), Block: d.block(), Allocated: d.allocated, Freed: d.freed,
			Hint: "the head of a freed block, or the one behind it, was overwritten"})
	}
	f := mc.delayedFault(&d, c)
	mc.coalesce(c, head)
	if f != nil {
		f.Op = op
		mc.fault(*f)
	}
}

// delayedFault returns what is wrong with a waiting block, or nil.
func (mc *Context) delayedFault(d *freedBlock, c raw.Addr) *diag.Fault {
	if f := d.writtenFault(); f != nil {
		return f
	}
	if n, align, ok := readTrailer(d.addr, c, d.size); !ok || n != d.n || align != d.align {
		return d.fault("the trailer behind the freed block was overwritten")
	}
	if broken := mc.guardFault(d.addr, c, d.size); broken != nil {
		f := d.fault("a guard of the freed block was overwritten")
		f.Offset, f.Want, f.Got = broken.Offset, broken.Want, broken.Got
		return f
	}
	return nil
}

// writtenFault returns the fault that the bytes of the block have changed, or nil.
func (d *freedBlock) writtenFault() *diag.Fault {
	at, changed := diag.CheckFreed(d.addr, d.n)
	if !changed {
		return nil
	}
	f := d.fault("")
	f.Offset = at
	f.Want, f.Got = diag.ShowFreed(d.addr+raw.Addr(at), d.n-uintptr(at))
	return f
}

// fault makes the fault that the block was written to.
func (d *freedBlock) fault(hint string) *diag.Fault {
	return &diag.Fault{Kind: diag.UseAfterFree, Addr: uintptr(d.addr), Block: d.block(), Allocated: d.allocated, Freed: d.freed, Hint: hint}
}

// delayedSize returns the bytes of chunks that wait.
func (mc *Context) delayedSize() uintptr {
	if mc.mode&checked == 0 {
		return 0
	}
	return mc.watch.line.bytes
}

// flushDelayed frees all that waits and returns how many bytes it was.
func (mc *Context) flushDelayed() (bytes uintptr) {
	if mc.mode&checked == 0 {
		return 0
	}
	for mc.watch.line.waiting() > 0 {
		before := mc.watch.line.bytes
		mc.endDelay(mc.op)
		bytes += before - mc.watch.line.bytes
	}
	return bytes
}

// checkDelayed returns what is wrong with the first waiting block that was
// written to, or nil.
func (mc *Context) checkDelayed() *diag.Fault {
	l := &mc.watch.line
	for i := l.oldest; i != l.next; i++ {
		d := l.at(i)
		if f := mc.delayedFault(d, chunk.OfBlock(d.addr-mc.front())); f != nil {
			return f
		}
	}
	return nil
}
