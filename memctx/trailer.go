package memctx

import (
	"math/bits"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// A block with a trailer remembers what was asked for. Its chunk looks like
// this, where the guards are there in Guard mode only:
//
//	head | guard (Align) | n bytes | fill | n | log2 of the alignment
//	                     ^ the block        ^ trailer, two words
//
// Fill is what rounding left, at least Align bytes in Guard mode, where it is a
// guard too. All blocks have trailers under ExactSize and Guard, and those
// aligned to more than Align always have one; the rest of the heap pays
// nothing for them but the two state bits.
const trailerBytes = 2 * raw.Word

// trailedSize returns the size of the chunk for n bytes with a trailer.
func (mc *Context) trailedSize(n uintptr) uintptr {
	size := chunk.Header + n + trailerBytes
	if mc.mode&guard != 0 {
		size += 2 * chunk.Align
	}
	return max((size+chunk.Align-1)&^(chunk.Align-1), chunk.Min)
}

// allocTrailed returns a block of n bytes with a trailer, aligned to align,
// which is a power of two.
func (mc *Context) allocTrailed(n, align uintptr) (raw.Addr, error) {
	c, size, err := mc.takeAligned(mc.trailedSize(n), align)
	if err != nil {
		return 0, err
	}
	chunk.Write(c, mc.tag, chunk.Make(size, chunk.Read(c, mc.tag)&chunk.P|chunk.Trailed))
	mc.large.allocs++
	mc.largeBytes += size
	b := chunk.Block(c) + mc.front()
	mc.writeTrailer(b, c, size, n, align)
	if mc.mode&checked != 0 {
		mc.watch.blocks.born(b, c+raw.Addr(size))
	}
	return b, nil
}

// takeAligned returns a chunk in use of at least size bytes whose block,
// behind the guard if there is one, is aligned to align.
func (mc *Context) takeAligned(size, align uintptr) (raw.Addr, uintptr, error) {
	if align <= chunk.Align {
		return mc.take(size)
	}
	c, found, err := mc.take(size + align + chunk.Min)
	if err != nil {
		return 0, 0, err
	}
	lead := mc.leadTo(c, align)
	if lead > 0 {
		head := chunk.Make(lead, chunk.Read(c, mc.tag)&chunk.P|chunk.InUse)
		chunk.Write(c, mc.tag, head)
		chunk.Write(c+raw.Addr(lead), mc.tag, chunk.Make(found-lead, chunk.P|chunk.InUse))
		mc.coalesce(c, head)
		c, found = c+raw.Addr(lead), found-lead
	}
	if rest := found - size; rest >= leastRest(size) {
		mc.cutOff(c, size, rest)
		found = size
	}
	return c, found, nil
}

// leadTo returns the bytes between c and the first chunk in it whose block is
// aligned: none, or enough for a chunk.
func (mc *Context) leadTo(c raw.Addr, align uintptr) uintptr {
	b := uintptr(chunk.Block(c) + mc.front())
	lead := -b & (align - 1)
	if lead != 0 && lead < chunk.Min {
		lead += align
	}
	return lead
}

// cutOff makes the rest behind the first size bytes of the chunk c in use a
// free chunk.
func (mc *Context) cutOff(c raw.Addr, size, rest uintptr) {
	head := chunk.Read(c, mc.tag)
	chunk.Write(c, mc.tag, chunk.Make(size, head&(chunk.P|chunk.C|chunk.Q)))
	behind := c + raw.Addr(size)
	tail := chunk.Make(rest, chunk.P|chunk.InUse)
	chunk.Write(behind, mc.tag, tail)
	mc.coalesce(behind, tail)
}

// writeTrailer writes trailer and guards of the block b in the chunk c.
func (mc *Context) writeTrailer(b, c raw.Addr, size, n, align uintptr) {
	t := c + raw.Addr(size) - trailerBytes
	raw.Store(t, n)
	raw.Store(t+raw.Word, uintptr(bits.TrailingZeros(uint(align))))
	if mc.mode&guard != 0 {
		mc.watch.pattern.Set(chunk.Block(c), chunk.Align)
		mc.watch.pattern.Set(b+raw.Addr(n), uintptr(t-b)-n)
	}
}

// readTrailer returns what the trailer of the chunk c says and whether that can
// be true for the block b.
func readTrailer(b, c raw.Addr, size uintptr) (n, align uintptr, ok bool) {
	t := c + raw.Addr(size) - trailerBytes
	n, log := raw.Load(t), raw.Load(t+raw.Word)
	if n > uintptr(t-b) || log >= bits.UintSize {
		return 0, 0, false
	}
	align = 1 << log
	return n, align, align >= chunk.Align && uintptr(b)&(align-1) == 0
}

// checkGuards raises a fault if the trailer of the live block b, or a guard of
// it, was overwritten.
func (mc *Context) checkGuards(op string, b, c raw.Addr, size uintptr) {
	if f := mc.guardFault(b, c, size); f != nil {
		f.Op, f.Addr = op, uintptr(b)
		mc.fault(*f)
	}
}

// guardFault returns what is wrong with the trailer and the guards of the
// trailed block b, or nil.
func (mc *Context) guardFault(b, c raw.Addr, size uintptr) *diag.Fault {
	n, align, ok := readTrailer(b, c, size)
	block := diag.Block{Addr: uintptr(b), Size: int(n), Align: int(align), Exact: true, Stack: mc.siteOf(b)}
	if !ok {
		return &diag.Fault{Kind: diag.Corrupt, Hint: "the trailer behind the block was overwritten: a write far past the end"}
	}
	if mc.mode&guard == 0 {
		return nil
	}
	p := &mc.watch.pattern
	if at, broken := p.Check(chunk.Block(c), chunk.Align); broken {
		f := diag.Fault{Kind: diag.GuardBefore, Block: block, Offset: at - chunk.Align}
		f.Want, f.Got = p.Show(chunk.Block(c)+raw.Addr(at), uintptr(chunk.Align-at))
		return &f
	}
	fill := uintptr(c) + size - trailerBytes - uintptr(b) - n
	if at, broken := p.Check(b+raw.Addr(n), fill); broken {
		f := diag.Fault{Kind: diag.GuardAfter, Block: block, Offset: int(n) + at}
		f.Want, f.Got = p.Show(b+raw.Addr(n)+raw.Addr(at), fill-uintptr(at))
		return &f
	}
	return nil
}

// AllocAligned returns a block of at least n bytes aligned to align bytes, a
// power of two; Realloc keeps the alignment. An alignment up to Alloc's costs
// nothing extra, a larger one a trailer of two words and the search for the
// place. Apart from [ErrAlign] the errors are those of Alloc.
func (mc *Context) AllocAligned(n, align int) (unsafe.Pointer, error) {
	if align <= 0 || align&(align-1) != 0 {
		return nil, mc.failed("AllocAligned", n, align, ErrAlign)
	}
	if align <= chunk.Align {
		return mc.allocChecked("AllocAligned", n)
	}
	if !mc.enter("AllocAligned") {
		return nil, mc.failed("AllocAligned", n, align, ErrClosed)
	}
	b, err := raw.Addr(0), ErrSize
	if uint(n) <= MaxRequest && align <= MaxRequest-n {
		b, err = mc.allocTrailed(uintptr(n), uintptr(align))
	}
	if err == nil {
		mc.watched("AllocAligned", 0, b, 0, n)
	}
	mc.leave()
	if err != nil {
		return nil, mc.failed("AllocAligned", n, align, err)
	}
	return b.Pointer(), nil
}
