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
	if !mc.enter("AllocMany") {
		clear(ptrs)
		return mc.failed("AllocMany", n, 0, ErrClosed)
	}
	made, err := mc.makeMany(ptrs, n)
	if err != nil && made > 0 {
		// Blocks that stood on both sides of what was cached kept it from becoming one
		// piece with theirs.
		mc.flushAll()
		_, err = mc.makeMany(ptrs, n)
	}
	if err != nil {
		clear(ptrs)
		mc.leave()
		return mc.failed("AllocMany", n, 0, err)
	}
	if mc.mode&watching != 0 {
		for _, p := range ptrs {
			mc.handOut("AllocMany", 0, raw.AddrOf(p), 0, n)
		}
	}
	mc.leave()
	return nil
}

// makeMany sets each element of ptrs to a new block, or takes back those it has made.
// It returns how many these were.
func (mc *Context) makeMany(ptrs []unsafe.Pointer, n int) (made int, err error) {
	i := mc.popMany(ptrs, n)
	for ; i < len(ptrs); i += mc.popMany(ptrs[i:], n) {
		b, err := mc.alloc(n)
		if err != nil {
			mc.takeBack(ptrs[:i])
			return i, err
		}
		ptrs[i] = b.Pointer()
		i++
	}
	return i, nil
}

// popMany takes as many blocks as there are off the quick list, if an ordinary
// context has one for n bytes, and returns how many they are.
func (mc *Context) popMany(ptrs []unsafe.Pointer, n int) (count int) {
	if mc.mode != busy || uint(n) > bins.MaxRequest {
		return 0
	}
	class := bins.ForRequest(uint(n))
	l := mc.list("AllocMany", class)
	b, reach := l.Head, mc.segments.reach
	for ; count < len(ptrs) && reach.number(b) < reach.blocks; count++ {
		ptrs[count] = b.Pointer()
		next := raw.Addr(raw.Load(b))
		chunk.SetLive(b, class)
		b = next
	}
	l.Head = b
	l.Allocs += uint(count)
	return count
}

// takeBack frees blocks that nobody has been told of.
func (mc *Context) takeBack(ptrs []unsafe.Pointer) {
	for _, p := range ptrs {
		b := raw.AddrOf(p)
		c := chunk.OfBlock(b - mc.front())
		mc.free("AllocMany", b, c, chunk.Read(c, mc.tag))
	}
}

// FreeMany frees the blocks at all elements of ptrs, in any order, and sets the
// elements to nil; those that are nil already are passed over. Large neighbours
// are joined with each other before they are looked up.
//
// All elements are looked at before any block is freed. If one of them is no live
// block of this context, or is there twice, or has a broken guard, FreeMany panics
// with the [*diag.Fault] that [Context.Free] would raise; every block is as it was
// then, and ptrs has the same elements, maybe in another order. On 32-bit systems
// a foreign pointer may go unnoticed.
func (mc *Context) FreeMany(ptrs []unsafe.Pointer) {
	first := slices.IndexFunc(ptrs, func(p unsafe.Pointer) bool { return p != nil })
	if first < 0 {
		return
	}
	mc.enterUser("FreeMany", raw.AddrOf(ptrs[first]))
	small, class := 0, uint8(0)
	defer func() { mc.revive(ptrs[:small]) }() // is for the case of a fault
	if mc.mode == busy {
		small, class = mc.bury(ptrs)
	}
	rest := mc.checkMany(ptrs[small:])
	mc.cacheMany(ptrs[:small], class)
	clear(ptrs[:small])
	small = 0
	mc.freeSorted(rest)
	clear(rest)
	mc.leave()
}

// bury moves the live small blocks to the front, marks them as cached, and
// returns how many they are and, if all are of one, their class. One that is in the
// list twice is not live the second time.
func (mc *Context) bury(ptrs []unsafe.Pointer) (count int, class uint8) {
	tagTop, reach := chunk.TagTop(mc.tag), mc.segments.reach
	last := uint8(0)
	for i, p := range ptrs {
		b := raw.AddrOf(p)
		if reach.number(b) >= reach.blocks {
			continue
		}
		its := bins.OfLive(b)
		if its-1 >= bins.Classes-1 || !chunk.HasTag(b, tagTop) {
			continue
		}
		if its != last {
			if mc.quick.Of(its).Head == bins.Busy {
				continue
			}
			if class = its; count > 0 {
				class = 0
			}
			last = its
		}
		chunk.SetCached(b, its)
		if i != count {
			ptrs[i], ptrs[count] = ptrs[count], p
		}
		count++
	}
	return count, class
}

// revive undoes bury.
func (mc *Context) revive(ptrs []unsafe.Pointer) {
	for _, p := range ptrs {
		b := raw.AddrOf(p)
		chunk.SetLive(b, mc.buried(b))
	}
}

// buried returns the class of a block that is marked as cached.
func (mc *Context) buried(b raw.Addr) uint8 {
	if chunk.HasClasses {
		return chunk.Class(b) &^ chunk.CachedMark
	}
	return bins.ForChunk(chunk.Read(chunk.OfBlock(b), mc.tag).Size())
}

// cacheMany puts blocks that are marked as cached on their lists; class is that of
// all of them, or 0. The last block comes first: it is the one that the processor has
// just looked at, and blocks are then handed out again in the order in which they
// came.
func (mc *Context) cacheMany(ptrs []unsafe.Pointer, class uint8) {
	if class == 0 {
		for i := len(ptrs) - 1; i >= 0; i-- {
			b := raw.AddrOf(ptrs[i])
			l := mc.quick.Of(mc.buried(b))
			l.Push(b)
			l.Frees++
		}
		return
	}
	l := mc.quick.Of(class)
	head := l.Head
	for i := len(ptrs) - 1; i >= 0; i-- {
		b := raw.AddrOf(ptrs[i])
		raw.Store(b, uintptr(head))
		head = b
	}
	l.Head = head
	l.Frees += uint(len(ptrs))
}

// checkMany sorts pointers by address and returns those that are not nil. It
// raises a fault unless all are different live blocks.
func (mc *Context) checkMany(ptrs []unsafe.Pointer) []unsafe.Pointer {
	slices.SortFunc(ptrs, func(a, b unsafe.Pointer) int { return cmp.Compare(uintptr(a), uintptr(b)) })
	for len(ptrs) > 0 && ptrs[0] == nil {
		ptrs = ptrs[1:]
	}
	bytes := uintptr(0)
	for i, p := range ptrs {
		b := raw.AddrOf(p)
		c, head := mc.lookUp("FreeMany", b)
		if i > 0 && p == ptrs[i-1] {
			mc.fault(diag.Fault{Kind: diag.DoubleFree, Op: "FreeMany", Addr: uintptr(b), Block: mc.describe(c, head),
				Hint: "the block is in the list twice"})
		}
		mc.mayFree("FreeMany", b, c, head)
		bytes += head.Size()
	}
	if mc.mode&checked != 0 {
		mc.makeRoom("FreeMany", uint(len(ptrs)), bytes)
	}
	return ptrs
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
