package memctx

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// The calls that stand on Alloc and Free have short ways too. Each finds out first
// that those two have nothing else to do than to take a block from a list and to
// put one on it, and then calls them. Whatever else there may be, faults above all, is
// left to the long way, which starts from the beginning and knows the name of the
// user's call.

// hasCached reports whether Alloc has a block for n bytes on the list of their class.
func (mc *Context) hasCached(n int) bool {
	return uint(n) < mc.short.requests && mc.quick.Of(bins.ForRequest(uint(n))).Head > bins.Busy
}

// shortSize returns the size of the chunk of the block b if Free would put it on its
// list, and else 0. Size and class stand in different bytes of the head, and what runs
// over it from the block before changes the size first.
func (mc *Context) shortSize(b raw.Addr) uintptr {
	if !chunk.HasClasses || mc.short.number(b) >= mc.short.blocks {
		return 0
	}
	size := chunk.PlainSize(b, mc.tag)
	class := chunk.Class(b)
	if class >= bins.Classes || bins.SizeOf(class) != size || mc.quick.Of(class).Head == bins.Busy {
		return 0
	}
	return size
}

// moveShort moves the block at p, which n bytes outgrow, to one from a list. It returns
// nil if that takes longer.
func (mc *Context) moveShort(p unsafe.Pointer, n int) unsafe.Pointer {
	size := mc.shortSize(raw.AddrOf(p))
	if size == 0 || uint(n) <= uint(size-chunk.Header) {
		return nil
	}
	if n >= slackFrom {
		n = int(withSlack(uintptr(n)))
	}
	if !mc.hasCached(n) {
		return nil
	}
	moved, err := mc.Alloc(n)
	if err != nil {
		return nil
	}
	raw.Copy(raw.AddrOf(moved), raw.AddrOf(p), size-chunk.Header)
	mc.Free(p)
	return moved
}
