package memctx

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// AllocMany sets each element of ptrs to a new block of at least n bytes: all of
// them or, if it returns an error, none, and then all elements are nil. The blocks
// are those of [Context.Alloc], each to be freed by itself or with
// [Context.FreeMany]; so are the errors.
//
// It is dlmalloc's independent_calloc, but for the zeroes: one call for blocks
// that are made together.
func (mc *Context) AllocMany(ptrs []unsafe.Pointer, n int) error {
	clear(ptrs)
	if !mc.enter("AllocMany") {
		return mc.failed("AllocMany", n, 0, ErrClosed)
	}
	for i := range ptrs {
		b, err := mc.alloc(n)
		if err != nil {
			mc.takeBack(ptrs[:i])
			mc.leave()
			return mc.failed("AllocMany", n, 0, err)
		}
		ptrs[i] = b.Pointer()
	}
	if mc.mode&watching != 0 {
		for _, p := range ptrs {
			mc.handOut("AllocMany", 0, raw.AddrOf(p), 0, n)
		}
	}
	mc.leave()
	return nil
}

// takeBack frees blocks that nobody has been told of.
func (mc *Context) takeBack(ptrs []unsafe.Pointer) {
	for _, p := range ptrs {
		b := raw.AddrOf(p)
		c := chunk.OfBlock(b - mc.front())
		mc.free("AllocMany", b, c, chunk.Read(c, mc.tag))
	}
	clear(ptrs)
}

// FreeMany frees the blocks at all elements of ptrs, in any order, and sets the
// elements to nil; those that are nil already are passed over. It sorts ptrs by
// address, so that large neighbours are joined before they are looked up, and
// costs least if they are in that order.
//
// All elements are looked at before any block is freed. If one of them is no live
// block of this context, or is there twice, or has a broken guard, FreeMany panics
// with the [*diag.Fault] that [Context.Free] would raise, and every block is as it
// was. On 32-bit systems a foreign pointer may go unnoticed.
func (mc *Context) FreeMany(ptrs []unsafe.Pointer) {
	slices.SortFunc(ptrs, func(a, b unsafe.Pointer) int { return cmp.Compare(uintptr(a), uintptr(b)) })
	blocks := ptrs
	for len(blocks) > 0 && blocks[0] == nil {
		blocks = blocks[1:]
	}
	if len(blocks) == 0 {
		return
	}
	mc.enterUser("FreeMany", raw.AddrOf(blocks[0]))
	for i, p := range blocks {
		b := raw.AddrOf(p)
		c, head := mc.lookUp("FreeMany", b)
		if i > 0 && p == blocks[i-1] {
			mc.fault(diag.Fault{Kind: diag.DoubleFree, Op: "FreeMany", Addr: uintptr(b), Block: mc.describe(c, head),
				Hint: "the block is in the list twice"})
		}
		if head.State() == chunk.Trailed {
			mc.checkGuards("FreeMany", b, c, head.Size())
		}
	}
	mc.freeSorted(blocks)
	clear(blocks)
	mc.leave()
}

// freeSorted frees live blocks that are in the order of their addresses.
func (mc *Context) freeSorted(blocks []unsafe.Pointer) {
	for i := 0; i < len(blocks); {
		b := raw.AddrOf(blocks[i])
		c := chunk.OfBlock(b - mc.front())
		head := chunk.Read(c, mc.tag)
		mc.noteFree("FreeMany", c, head)
		i++
		if !mc.joins(head) {
			mc.free("FreeMany", b, c, head)
			continue
		}
		size, count := head.Size(), uint(1)
		for ; i < len(blocks) && raw.AddrOf(blocks[i]) == b+raw.Addr(size); i++ {
			next := c + raw.Addr(size)
			behind := chunk.Read(next, mc.tag)
			if !mc.joins(behind) {
				break
			}
			mc.noteFree("FreeMany", next, behind)
			chunk.Bury(next, mc.tag)
			size += behind.Size()
			count++
		}
		mc.large.frees += count
		mc.largeBytes -= size
		mc.coalesce(c, chunk.Make(size, head&chunk.P|chunk.InUse))
	}
}

// joins reports whether the chunk in use with this head is coalesced when it is
// freed.
func (mc *Context) joins(head chunk.Head) bool {
	if head.State() == chunk.Trailed {
		return mc.mode&checked == 0
	}
	return head.Size() > bins.MaxChunk
}
