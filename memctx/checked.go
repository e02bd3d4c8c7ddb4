package memctx

import (
	"fmt"
	"log/slog"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// Under Checked the maps of blocks are asked before anything is read: whatever
// a caller passes, only memory before a live block is taken for a head.

// checkLive raises a fault unless a live block begins at b.
func (mc *Context) checkLive(op string, b raw.Addr) {
	if !mc.watch.blocks.isLive(b) {
		f := mc.notLive(b)
		f.Op, f.Addr = op, uintptr(b)
		mc.fault(f)
	}
}

// lookUpLive is lookUp under Checked.
func (mc *Context) lookUpLive(op string, b raw.Addr) (raw.Addr, chunk.Head) {
	mc.checkLive(op, b)
	c := chunk.OfBlock(b - mc.front())
	head := chunk.Read(c, mc.tag)
	if head.State() != chunk.Trailed || head >= chunk.Limit || !mc.plausible(c, head.Size()) {
		mc.fault(diag.Fault{Kind: diag.Corrupt, Op: op, Addr: uintptr(b),
			Hint: "the head before the block, or the one behind it, was overwritten"})
	}
	return c, head
}

// notLive tells what b is, where no live block begins.
func (mc *Context) notLive(b raw.Addr) diag.Fault {
	w := mc.watch
	m := w.blocks.find(b)
	if m != nil {
		if f, inside := mc.inside(m, b); inside {
			return f
		}
	}
	if b%chunk.Align != 0 {
		return diag.Fault{Kind: diag.Misaligned, Hint: "no allocation returns such an address"}
	}
	if d := w.line.find(b); d != nil && (m == nil || m.was.has(m.place(b))) {
		return diag.Fault{Kind: diag.DoubleFree, Block: d.block(), Allocated: d.allocated, Freed: d.freed,
			Hint: "the block was freed before and has not been handed out again"}
	}
	switch {
	case m == nil:
		return diag.Fault{Kind: diag.Foreign, Hint: "it belongs to another context, or to no context at all"}
	case m.was.has(m.place(b)):
		return diag.Fault{Kind: diag.DoubleFree, Hint: "the block was freed before, or dropped by Reset, and has not been handed out again"}
	}
	return diag.Fault{Kind: diag.Interior, Hint: "the address lies in this context, but no block begins or began there"}
}

// inside returns the fault of a pointer into a live block of the segment, and
// whether b is one.
func (mc *Context) inside(m *blockMap, b raw.Addr) (f diag.Fault, inside bool) {
	before := m.before(b)
	if before == 0 {
		return f, false
	}
	c := chunk.OfBlock(before - mc.front())
	head := chunk.Read(c, mc.tag)
	if head.State() != chunk.Trailed || !mc.plausible(c, head.Size()) || uintptr(b-c) >= head.Size() {
		return f, false
	}
	block := mc.describe(c, head)
	f = diag.Fault{Kind: diag.Interior, Block: block, Allocated: block.Stack,
		Hint: fmt.Sprintf("the pointer is %d bytes behind the start of a block", b-before)}
	if b%chunk.Align != 0 {
		f.Kind = diag.Misaligned
	}
	return f, true
}

// watched does what observers and checks want to be done with the block b of n
// bytes that a call is about to return, of which the first from are defined. old
// is where a resized block was before, else 0.
func (mc *Context) watched(op string, old, b raw.Addr, from, n int) {
	if mc.mode&watching != 0 {
		mc.handOut(op, old, b, from, n)
	}
}

// defined returns how many bytes of the live block b its user may have written.
func (mc *Context) defined(b, c raw.Addr, head chunk.Head) int {
	usable, _ := mc.extent(b, c, head)
	return int(usable)
}

// handOut is watched where there is somebody to watch.
func (mc *Context) handOut(op string, old, b raw.Addr, from, n int) {
	w := mc.watch
	if mc.mode&checked != 0 && from < n {
		diag.Fresh(b+raw.Addr(from), uintptr(n-from))
	}
	if w.stacks != nil {
		w.sites[b] = w.stacks.Here(0)
	}
	if mc.mode&observed != 0 {
		mc.noteBlock(op, old, b, n)
	}
}

// siteOf returns where the live block b was allocated, if that is recorded.
func (mc *Context) siteOf(b raw.Addr) *diag.Stack {
	if mc.watch == nil {
		return nil
	}
	return mc.watch.sites[b]
}

// reportLost tells that a context was collected unclosed. It runs in a goroutine
// of the runtime.
func reportLost(w *watch) {
	if w.held == 0 {
		return
	}
	f := &diag.Fault{Kind: diag.Lost, Op: "New", Context: w.name, Created: w.created,
		Hint: fmt.Sprintf("%d bytes are lost until the process ends", w.held)}
	if w.observer != nil {
		w.observer.Observe(diag.Event{Kind: diag.EventLost, Op: "New", Context: w.name, Size: w.held, Err: f})
		return
	}
	slog.Error(f.Error())
}
