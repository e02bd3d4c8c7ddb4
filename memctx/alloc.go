package memctx

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/tree"
)

// Alloc returns a block of at least n bytes, aligned to 16 bytes on 64-bit
// systems and 8 on 32-bit ones. Its contents are undefined. A block of zero
// bytes is a block: its address is unique and it must be freed.
//
// Go pointers must not be stored in the block. On failure Alloc returns an
// error that wraps [ErrSize], [ErrLimit], [ErrNoMemory] or [ErrClosed], and
// the context is as it was.
//
//go:nosplit
func (mc *Context) Alloc(n int) (unsafe.Pointer, error) {
	// The short way is nested so that it runs straight through; see docs/DESIGN.md for
	// its budget. A call that is inlined leaves an instruction that does nothing
	// unless its line has one of its own, so lines are shared here that would
	// be apart elsewhere. Compare n before rounding: n + 23 wraps for the largest
	// sizes, and as unsigned numbers the negative ones are the largest.
	if chunk.HasClasses && uint(n) < mc.short.requests {
		class := raw.Load8At(unsafe.Pointer(&bins.ByUnits), int((uint(n)+chunk.Header+chunk.Align-1)/chunk.Align))
		if l := mc.quick.Of(class); l.Head > bins.Busy {
			p := l.Head.Pointer()
			l.Head = bins.Busy
			l.Head = raw.Addr(raw.Unlink(p, -chunk.ClassBefore, class))
			l.Allocs++
			return p, nil
		}
	} else if !chunk.HasClasses {
		if b := mc.allocNarrow(n); b != 0 {
			return b.Pointer(), nil
		}
	}
	return mc.allocChecked("Alloc", n)
}

// allocChecked is Alloc for every n and every mode.
func (mc *Context) allocChecked(op string, n int) (unsafe.Pointer, error) {
	if !mc.enter(op) {
		return nil, mc.failed(op, n, 0, ErrClosed)
	}
	b, err := mc.alloc(n)
	if err == nil {
		mc.watched(op, 0, b, 0, n)
	}
	mc.leave()
	if err != nil {
		return nil, mc.failed(op, n, 0, err)
	}
	return b.Pointer(), nil
}

// alloc returns a block of n bytes. The call has been entered.
func (mc *Context) alloc(n int) (raw.Addr, error) {
	switch {
	case uint(n) > MaxRequest:
		return 0, ErrSize
	case mc.mode&trailed != 0:
		return mc.allocTrailed(uintptr(n), chunk.Align)
	case n <= bins.MaxRequest:
		class := bins.ForRequest(uint(n))
		if b := mc.takeCached(class); b != 0 {
			return b, nil
		}
		return mc.takeClass(class)
	}
	return mc.allocLarge(uintptr(n))
}

// allocLarge returns a block of n bytes, which is above [bins.MaxRequest].
func (mc *Context) allocLarge(n uintptr) (raw.Addr, error) {
	c, size, err := mc.take(plainSize(n))
	if err != nil {
		return 0, err
	}
	mc.large.allocs++
	mc.largeBytes += size
	return chunk.Block(c), nil
}

// plainSize returns the size of the chunk that holds n bytes without trailer.
func plainSize(n uintptr) uintptr {
	if n <= bins.MaxRequest {
		return bins.SizeOf(bins.ForRequest(uint(n)))
	}
	return (n + chunk.Header + chunk.Align - 1) &^ (chunk.Align - 1)
}

// AllocZeroed returns a zeroed block for count items of size bytes. Apart from
// the contents it is Alloc(count * size); a product that wraps is [ErrSize].
func (mc *Context) AllocZeroed(count, size int) (unsafe.Pointer, error) {
	n, ok := product(count, size)
	if !ok {
		return nil, mc.failed("AllocZeroed", n, 0, ErrSize)
	}
	return mc.allocZeroed("AllocZeroed", n)
}

// allocZeroed is AllocZeroed for n bytes.
func (mc *Context) allocZeroed(op string, n int) (unsafe.Pointer, error) {
	if mc.hasCached(n) {
		p, err := mc.allocNamed(op, n)
		if err == nil {
			raw.Zero(raw.AddrOf(p), uintptr(n))
		}
		return p, err
	}
	if !mc.enter(op) {
		return nil, mc.failed(op, n, 0, ErrClosed)
	}
	before := mc.top
	mc.fresh = 0
	b, err := mc.alloc(n)
	if err == nil && !mc.top.cutFresh(b, &before) {
		mc.zero(b, uintptr(n))
	}
	if err == nil {
		mc.watched(op, 0, b, n, n)
	}
	mc.leave()
	if err != nil {
		return nil, mc.failed(op, n, 0, err)
	}
	return b.Pointer(), nil
}

// zero clears the n bytes of the block b, but for those that have been zero
// since they came from the provider: a large block in a segment of its own is
// not touched where nothing was written, like memory of calloc.
func (mc *Context) zero(b raw.Addr, n uintptr) {
	if c := chunk.OfBlock(b); c != mc.fresh || mc.mode&trailed != 0 {
		raw.Zero(b, n)
		return
	}
	raw.Zero(b, min(n, tree.NodeSize))
	foot := chunk.Read(chunk.OfBlock(b), mc.tag).Size() - chunk.Header - raw.Word
	if n > foot {
		raw.Zero(b+raw.Addr(foot), n-foot)
	}
}

// product returns count * size and whether that can be a number of bytes. A
// product that wraps is told as count.
func product(count, size int) (n int, ok bool) {
	if hi, lo := bits.Mul(uint(count), uint(size)); hi == 0 && lo <= MaxRequest && count|size >= 0 {
		return int(lo), true
	}
	n = count * size
	if size != 0 && (n/size != count || size == -1 && count == math.MinInt) {
		n = count
	}
	return n, false
}
