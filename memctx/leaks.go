package memctx

import (
	"cmp"
	"slices"

	"github.com/cookmem-go/cookmem/diag"
)

// Leaks returns the live blocks by the place where they were allocated, those
// with most bytes first. Under [Options.Stacks] there is one leak for each place;
// otherwise no place is known, and all blocks are one leak. It belongs to the
// owner of the context, visits every block, and is empty on a closed context.
//
// A context may be closed with live blocks, which is what it is for; it depends on
// the program whether they are leaks.
func (mc *Context) Leaks() []diag.Leak {
	if !mc.enter("Leaks") {
		return nil
	}
	leaks := mc.leaks()
	mc.leave()
	return leaks
}

func (mc *Context) leaks() []diag.Leak {
	sites := map[*diag.Stack]int{}
	var leaks []diag.Leak
	for block := range mc.blocks {
		i, found := sites[block.Stack]
		if !found {
			i = len(leaks)
			sites[block.Stack] = i
			leaks = append(leaks, diag.Leak{Stack: block.Stack, First: block})
		}
		leaks[i].Blocks++
		leaks[i].Bytes += block.Size
	}
	slices.SortStableFunc(leaks, func(a, b diag.Leak) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return leaks
}

// noteLeaks tells an observer, under Stacks, of what is live when the context is
// closed.
func (mc *Context) noteLeaks() {
	// After a fault the heap is not to be walked again.
	if mc.mode&observed == 0 || mc.mode&reported != 0 || mc.watch.stacks == nil {
		return
	}
	for _, l := range mc.leaks() {
		mc.watch.note(diag.Event{Kind: diag.EventLeak, Op: "Close", Addr: l.First.Addr, N: l.First.Size, Align: l.First.Align, Size: l.Bytes, Err: &l})
	}
}
