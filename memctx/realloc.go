package memctx

import (
	"math/bits"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

const (
	// slackFrom is the number of bytes from which a block that outgrows its chunk is
	// given some more: blocks that grow, grow again.
	slackFrom = 256

	// moveBelow is the number of bytes below which a block that outgrows its chunk is
	// moved rather than extended, except into the top. So little is copied faster than
	// a free chunk is taken to pieces, and what the block leaves behind is on a list for
	// the next that grows.
	moveBelow = 128
)

// withSlack returns the next power of two from n on, or one and a half times a
// power of two if that is less. Sizes that are powers of two themselves, with
// which much growth ends, waste nothing.
func withSlack(n uintptr) uintptr {
	step := uintptr(1) << bits.Len(uint(n)) >> 2
	return (n + step - 1) &^ (step - 1)
}

// Realloc changes the size of the block at p to at least n bytes and returns
// where it is then. The first min(old, new) bytes and the alignment are kept;
// further bytes are undefined.
//
//	p     n     result
//	nil   any   Alloc(n)
//	live  0     a block of zero bytes, which must still be freed
//	live  > 0   the block, moved if it does not fit where it is
//
// A block that grows is given up to half as much again as asked for, and one
// that shrinks gives memory back once less than half of it is needed. A large block
// that has a segment to itself grows with it where the provider can resize, on
// Linux for example, and is not copied, not even if it moves. On
// failure the error is one of Alloc's and the block at p is as it was. Misuse
// panics as with [Context.Free].
func (mc *Context) Realloc(p unsafe.Pointer, n int) (unsafe.Pointer, error) {
	b := raw.Addr(uintptr(p))
	if b == 0 && mc.hasCached(n) {
		return mc.allocNamed("Realloc", n)
	}
	if mc.short.number(b) < mc.short.blocks {
		if mc.suits(b, n) {
			return p, nil
		}
		if moved := mc.moveShort(p, n); moved != nil {
			return moved, nil
		}
	}
	return mc.reallocFar(b, n)
}

// suits reports whether the block at b, before which there is a head, stays as it is: it
// is large enough for n bytes, and not twice too large.
func (mc *Context) suits(b raw.Addr, n int) bool {
	size := chunk.PlainSize(b, mc.tag)
	return uint(n) < uint(size) && keeps(size, uintptr(n)+chunk.Header)
}

// reallocFar is Realloc where the block is out of reach, or may have to move. Those of
// large ones that stay as they are need no more.
func (mc *Context) reallocFar(b raw.Addr, n int) (unsafe.Pointer, error) {
	if mc.mode == 0 && mc.mayHold(b, 0) && mc.suits(b, n) {
		return b.Pointer(), nil
	}
	return mc.reallocChecked(b, n)
}

// keeps reports whether a chunk of the size have is left as it is when size
// bytes of it are wanted.
func keeps(have, size uintptr) bool { return size <= have && size > have/2 }

// reallocChecked is Realloc for every block, size and mode.
func (mc *Context) reallocChecked(b raw.Addr, n int) (unsafe.Pointer, error) {
	if b == 0 {
		return mc.allocChecked("Realloc", n)
	}
	if !mc.enter("Realloc") {
		return nil, mc.failed("Realloc", n, 0, ErrClosed)
	}
	c, head := mc.lookUp("Realloc", b)
	if mc.mode&checked != 0 { // now, or a fault of another block would come when b has moved
		mc.makeRoom("Realloc", 1, head.Size())
		head = chunk.Read(c, mc.tag)
	}
	moved, err := raw.Addr(0), ErrSize
	if uint(n) <= MaxRequest {
		from := mc.defined(b, c, head)
		moved, err = mc.realloc(b, c, head, uintptr(n))
		if err == nil {
			mc.watched("Realloc", b, moved, from, n)
		}
	}
	mc.leave()
	if err != nil {
		return nil, mc.failed("Realloc", n, 0, err)
	}
	return moved.Pointer(), nil
}

// TryResize changes the size of the block at p to at least n bytes without
// moving it and reports whether it could; if not, the block is as it was.
// Misuse panics as with [Context.Free], a nil p and a closed context included.
func (mc *Context) TryResize(p unsafe.Pointer, n int) bool {
	b := raw.AddrOf(p)
	if size := mc.shortSize(b); uint(n) < uint(size) && keeps(size, uintptr(n)+chunk.Header) {
		return true
	}
	mc.enterUser("TryResize", b)
	c, head := mc.lookUp("TryResize", b)
	from := mc.defined(b, c, head)
	done := uint(n) <= MaxRequest &&
		(mc.resize("TryResize", b, c, head, uintptr(n)) || mc.refit(b, c, head, uintptr(n), true) != 0)
	if done {
		mc.watched("TryResize", b, b, from, n)
	}
	mc.leave()
	return done
}

// realloc resizes the live block b of chunk c in place or moves it.
func (mc *Context) realloc(b, c raw.Addr, head chunk.Head, n uintptr) (raw.Addr, error) {
	roomy := n
	if plainSize(n) > head.Size() && n >= slackFrom && head.State() != chunk.Trailed {
		roomy = min(withSlack(n), MaxRequest)
	}
	if !mc.moves(c, head, n) && (mc.resize("Realloc", b, c, head, roomy) || roomy > n && mc.resize("Realloc", b, c, head, n)) {
		return b, nil
	}
	if moved := mc.refit(b, c, head, n, false); moved != 0 {
		return moved, nil
	}
	usable, align := mc.extent(b, c, head)
	moved, err := mc.allocLike(head, roomy, align)
	if err != nil && roomy > n {
		moved, err = mc.allocLike(head, n, align)
	}
	// Making room may have coalesced a neighbour: the head is not what it was.
	head = chunk.Read(c, mc.tag)
	if err != nil {
		// So it may fit where it is by now, or what was given back leaves room for it
		// beneath the limit.
		if mc.resize("Realloc", b, c, head, n) {
			return b, nil
		}
		if moved = mc.refit(b, c, head, n, false); moved != 0 {
			err = nil
		}
		return moved, err
	}
	raw.Copy(moved, b, min(usable, n))
	mc.free("Realloc", b, c, head)
	return moved, nil
}

// moves reports whether the live chunk c moves to hold n bytes, though what lies
// behind it may be free.
func (mc *Context) moves(c raw.Addr, head chunk.Head, n uintptr) bool {
	return n < moveBelow && head.State() == chunk.InUse && plainSize(n) > head.Size() &&
		c+raw.Addr(head.Size()) != mc.top.at
}

// allocLike returns a block of n bytes. Its kind is that of the block with the
// given head.
func (mc *Context) allocLike(head chunk.Head, n, align uintptr) (raw.Addr, error) {
	if head.State() == chunk.Trailed {
		return mc.allocTrailed(n, align)
	}
	return mc.alloc(int(n))
}

// extent returns the bytes the user may use of the live block b, and its
// alignment.
func (mc *Context) extent(b, c raw.Addr, head chunk.Head) (usable, align uintptr) {
	if head.State() == chunk.Trailed {
		usable, align, _ = readTrailer(b, c, head.Size())
		return usable, align
	}
	return head.Size() - chunk.Header, chunk.Align
}

// resize makes the live block b of chunk c hold n bytes where it is, if it can.
func (mc *Context) resize(op string, b, c raw.Addr, head chunk.Head, n uintptr) bool {
	if head.State() != chunk.Trailed {
		_, done := mc.resizeChunk(c, head, plainSize(n))
		return done
	}
	mc.checkGuards(op, b, c, head.Size())
	_, align := mc.extent(b, c, head)
	size, done := mc.resizeChunk(c, head, mc.trailedSize(n))
	if done {
		mc.rewriteTrailer(b, c, size, n, align)
	}
	return done
}

// rewriteTrailer writes trailer and guards of the block b, which has become one of n
// bytes in a chunk of size bytes.
func (mc *Context) rewriteTrailer(b, c raw.Addr, size, n, align uintptr) {
	mc.writeTrailer(b, c, size, n, align)
	if mc.mode&checked != 0 {
		mc.watch.blocks.born(b, c+raw.Addr(size))
	}
}

// resizeChunk makes the chunk c in use at least size bytes large where it is
// and returns what it has become.
func (mc *Context) resizeChunk(c raw.Addr, head chunk.Head, size uintptr) (uintptr, bool) {
	have := head.Size()
	switch {
	case size > have:
		return mc.extend(c, head, size)
	case keeps(have, size) || have-size < chunk.Min:
		return have, true
	}
	mc.recount(head, size)
	mc.cutOff(c, size, have-size)
	mc.noteClass(c, head, size)
	if have-size >= discardFrom {
		mc.yieldTail(c)
	}
	return size, true
}

// extend makes the chunk c in use larger by what lies behind it.
func (mc *Context) extend(c raw.Addr, head chunk.Head, size uintptr) (uintptr, bool) {
	have := head.Size()
	behind := c + raw.Addr(have)
	if behind == mc.top.at {
		return size, mc.extendIntoTop(c, head, size)
	}
	next := chunk.Read(behind, mc.tag)
	if next.State() != chunk.Free || next.Size() < size-have {
		return 0, false
	}
	got, rest := size, have+next.Size()-size
	if rest < leastRest(size) {
		got, rest = size+rest, 0
	}
	if head.State() == chunk.InUse && got <= bins.MaxChunk && !bins.IsClass(got) {
		return 0, false
	}
	mc.remove(behind, next.Size())
	chunk.Bury(behind, mc.tag)
	mc.recount(head, got)
	chunk.Write(c, mc.tag, chunk.Make(got, head&(chunk.P|chunk.C|chunk.Q)))
	mc.noteClass(c, head, got)
	end := c + raw.Addr(got)
	if rest > 0 {
		mc.insert(end, rest)
	} else {
		chunk.SetPrevInUse(end)
	}
	return got, true
}

func (mc *Context) extendIntoTop(c raw.Addr, head chunk.Head, size uintptr) bool {
	t, more := &mc.top, size-head.Size()
	if t.rest() < more {
		return false
	}
	if open := t.open(); open < more && mc.openTop(max(more-open, leastStep), false) != nil {
		return false
	}
	t.at += raw.Addr(more)
	t.untouched = max(t.untouched, t.at)
	mc.recount(head, size)
	chunk.Write(c, mc.tag, chunk.Make(size, head&(chunk.P|chunk.C|chunk.Q)))
	mc.noteClass(c, head, size)
	return true
}

// noteClass puts the class of the live chunk c, which has become one of size bytes and
// had the given head, where the short ways look for it, and its segment in their reach.
func (mc *Context) noteClass(c raw.Addr, head chunk.Head, size uintptr) {
	if head.State() != chunk.InUse || !bins.IsClass(size) {
		return
	}
	mc.segments.share(c)
	if chunk.HasClasses {
		chunk.SetLive(chunk.Block(c), bins.ForChunk(size))
	}
}

// recount moves a live chunk from the count of its present size to that of
// size bytes.
func (mc *Context) recount(head chunk.Head, size uintptr) {
	mc.count(head, head.Size(), ^uint(0))
	mc.count(head, size, 1)
}

// count adds n, 1 or minus 1, chunks of size bytes to those handed out. The
// head tells whether they have trailers.
func (mc *Context) count(head chunk.Head, size uintptr, n uint) {
	if head.State() == chunk.InUse && size <= bins.MaxChunk {
		l := mc.quick.Of(bins.ForChunk(size))
		l.Held += n
		l.Allocs += n
		return
	}
	mc.large.allocs += n
	mc.largeBytes += size * uintptr(n)
}
