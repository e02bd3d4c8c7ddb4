package memctx

import (
	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// The short ways of Alloc and Free where heads have no room for a class, which is
// on 32-bit systems. There the flags of the head tell that a block is live, and its
// size tells the class.

// allocNarrow returns a cached block for n bytes, or 0 if that takes longer.
func (mc *Context) allocNarrow(n int) raw.Addr {
	if uint(n) >= mc.short.requests {
		return 0
	}
	class := bins.ForRequest(uint(n))
	l := mc.quick.Of(class)
	b := l.Head
	if b <= bins.Busy {
		return 0
	}
	l.Head = bins.Busy
	l.Head = raw.Addr(raw.Load(b))
	chunk.SetLive(b, class)
	l.Allocs++
	return b
}

// freeNarrow takes back a block of a class and reports whether it could.
func (mc *Context) freeNarrow(b raw.Addr) bool {
	if mc.short.number(b) >= mc.short.blocks {
		return false
	}
	class := bins.OfLive(b) // 0 if it has none
	l := mc.quick.Of(class)
	next := l.Head
	if next == bins.Busy {
		return false
	}
	l.Head = bins.Busy
	chunk.SetCached(b, class)
	raw.Store(b, uintptr(next))
	l.Head = b
	l.Frees++
	return true
}
