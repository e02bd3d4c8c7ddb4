package memctx

import (
	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// Quick lists make short calls short, and keep what is freed from being joined with
// its neighbours. To flush a list is to coalesce its chunks. It costs a slow free
// each, and later a slow allocation, so lists are left alone as long as they are of
// use. Three things may happen to them:
//
//   - Before the top is opened or a segment added, all lists are flushed if they
//     hold more than 1 MiB (or what is in use, if less) and 1/8 of what is in use.
//   - At the same time each is flushed down to half of the class's live blocks, or to
//     a quarter where they are few (bins.Half), if what lies beyond that, of all
//     classes, is worth it.
//   - Every 1/32 of what is in use that is carved into chunks, each is flushed down to
//     the class's live blocks, if what lies beyond is worth it. It is where sizes
//     change in the course of time, and chunks of the old sizes, waiting for what
//     does not come back, keep free memory in pieces.
//
// A class that comes and goes is not touched by the last two: its lists hold no more
// than what it uses at times.
const (
	// leastFlush are the bytes that are worth a flush, with flushShare of what is
	// in use.
	leastFlush = 64 << 10
	flushShare = 32

	// lookShare is the part of what is in use after which lists are looked at.
	lookShare = 32
)

// held returns the bytes of chunks that users hold and of those that wait for
// their next use. A context whose blocks are large, which asks for each of them, is
// not to add up all classes for it: what chunks of classes it has are then taken for
// used.
func (mc *Context) held() (inUse, cached uintptr) {
	cached = mc.delayedSize()
	inUse = uintptr(mc.Footprint()) - mc.small.Bytes() - mc.tree.Bytes() - mc.top.rest() - cached
	if inUse-mc.largeBytes > mc.largeBytes/8 {
		lists := mc.quick.CachedBytes()
		inUse, cached = inUse-lists, cached+lists
	}
	return inUse, cached
}

// flushSome flushes if so much is cached that it is better than using more memory,
// and reports whether it did.
func (mc *Context) flushSome(inUse, cached uintptr) bool {
	if cached > min(inUse, 1<<20)+inUse/8 {
		mc.flushAll()
		return true
	}
	return cached > leastFlush+inUse/flushShare && mc.flushBeyond(inUse, bins.Half)
}

// flushOutgrown counts the bytes that are carved into chunks of classes and from
// time to time flushes what the sizes in use have left behind.
func (mc *Context) flushOutgrown(carved uintptr) {
	if mc.untilLook > carved {
		mc.untilLook -= carved
		return
	}
	inUse, cached := mc.held()
	mc.untilLook = max(leastFlush, inUse/lookShare)
	if cached > leastFlush+inUse/flushShare {
		mc.flushBeyond(inUse, bins.Equal)
	}
}

// flushBeyond flushes each list down to its reserve, if that is worth it, and reports
// whether it did.
func (mc *Context) flushBeyond(inUse uintptr, reserve func(live uint) uint) bool {
	if mc.quick.SurplusBytes(reserve) <= leastFlush+inUse/flushShare {
		return false
	}
	mc.flush(func(l *bins.List) uint { return l.Cached() - l.Surplus(reserve) })
	return true
}

// flushAll flushes everything that waits, and returns how many bytes that were.
func (mc *Context) flushAll() (bytes uintptr) {
	return mc.flush(func(*bins.List) uint { return 0 }) + mc.flushDelayed()
}

// flush coalesces cached chunks until no list has more than keep says, and returns
// how many bytes they were. A link that leads out of the context, or a head that
// does not tell a cached chunk of the class, is a fault.
func (mc *Context) flush(keep func(*bins.List) uint) (bytes uintptr) {
	for class := uint8(bins.First); class < bins.Classes; class++ {
		if mc.quick.Of(class).Head == 0 { // most of them, for a cache at its limit
			continue
		}
		l, size := mc.list(mc.op, class), bins.SizeOf(class)
		for kept := keep(l); l.Head != 0 && (kept == 0 || l.Cached() > kept); {
			c, head := mc.firstCached(l, size)
			l.Pop()
			l.Held--
			bytes += size
			mc.coalesce(c, head)
		}
	}
	return bytes
}

// firstCached returns the chunk on top of a list that is not empty, and its head. It
// raises a fault unless that is a cached chunk of the list's size.
func (mc *Context) firstCached(l *bins.List, size uintptr) (raw.Addr, chunk.Head) {
	c := chunk.OfBlock(l.Head)
	if l.Head%chunk.Align != 0 || !mc.within(c, size) {
		l.Head = 0 // lost is better than followed by the next Alloc
		mc.faultCached(c, "the link in a freed block was overwritten: a write after Free")
	}
	head := chunk.Read(c, mc.tag)
	if head.State() != chunk.Cached || head.Size() != size {
		mc.faultCached(c, "the head of a freed block was overwritten: a write past the end of the one before")
	}
	return c, head
}

// faultCached reports damage to the cached chunk c.
func (mc *Context) faultCached(c raw.Addr, hint string) {
	mc.fault(diag.Fault{Kind: diag.Corrupt, Op: mc.op, Addr: uintptr(chunk.Block(c)), Hint: hint})
}
