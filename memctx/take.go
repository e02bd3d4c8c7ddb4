package memctx

import (
	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/tree"
)

const (
	// Chunks of a class are carved several at a time, in the order of their
	// addresses: what is allocated together is used together, and the processor
	// fetches the lines of several heads at once. A run is at most runBytes long
	// and at most a runShare of the chunks that the class has already.
	runBytes = bins.MaxChunk
	runShare = 8

	// lenders is how many larger classes may lend a block.
	lenders = 4

	// exactChunk is the largest size to which one more unit leads to another
	// class: below, every multiple of Align is one.
	exactChunk = 32 * chunk.Align
)

// take returns a chunk of at least size bytes as in use, and its size. size is
// a class's or larger than all of them; so is the size returned. Free chunks
// are tried first, the smallest that fits, then the top.
func (mc *Context) take(size uintptr) (raw.Addr, uintptr, error) {
	for {
		if c, found := mc.fit(size); c != 0 {
			return c, mc.carve(c, found, size), nil
		}
		if mc.top.open() >= size {
			return mc.cut(size), size, nil
		}
		if err := mc.refill(size); err != nil {
			return 0, 0, err
		}
	}
}

// takeClass returns a block of a class whose quick list is empty, and may put
// more of them on the list.
func (mc *Context) takeClass(class uint8) (raw.Addr, error) {
	size := bins.SizeOf(class)
	for {
		run := mc.runOf(class, size)
		mc.flushOutgrown(run)
		if c, found := mc.fit(size); c != 0 {
			mc.segments.share(c)
			return mc.divide(c, mc.carve(c, found, runWithin(run, size, found)), size), nil
		}
		if open := mc.top.open(); open >= size {
			run = min(run, open-open%size)
			return mc.divide(mc.cut(run), run, size), nil
		}
		if b := mc.borrow(class); b != 0 {
			return b, nil
		}
		if err := mc.refill(size); err != nil {
			return 0, err
		}
	}
}

// runOf returns how many bytes to carve for a class at once: more, the more of
// the class there is already.
func (mc *Context) runOf(class uint8, size uintptr) uintptr {
	count := min(uintptr(mc.quick.Of(class).Held)/runShare, runBytes/size)
	return max(count, 1) * size
}

// runWithin returns the part of a free chunk of found bytes to carve for a run:
// whole chunks of size bytes, and either nothing left or enough for a chunk.
func runWithin(run, size, found uintptr) uintptr {
	run = min(run, found-found%size)
	if run > size && found-run == chunk.Align {
		run -= size
	}
	return run
}

// divide makes the run of bytes at c chunks of size bytes, all but the first of
// them cached, and returns the first one's block. A run of one chunk may be one
// unit larger than size and then counts for its own class.
func (mc *Context) divide(c raw.Addr, run, size uintptr) raw.Addr {
	if run < 2*size {
		size = run
	}
	class := bins.ForChunk(size)
	l := mc.quick.Of(class)
	chunk.Write(c, mc.tag, chunk.Make(size, chunk.P|chunk.InUse))
	chunk.SetLive(chunk.Block(c), class)
	// Upwards, as the rest of the run will be written: a processor that sees
	// fresh memory touched downwards fetches the wrong lines ahead.
	for at := size; at < run; at += size {
		cached := chunk.Block(c + raw.Addr(at))
		next := cached + raw.Addr(size)
		if at+size == run {
			next = l.Head
		}
		chunk.Write(chunk.OfBlock(cached), mc.tag, chunk.Make(size, chunk.P|chunk.InUse))
		chunk.SetCached(cached, class)
		raw.Store(cached, uintptr(next))
	}
	if run > size {
		l.Head = chunk.Block(c + raw.Addr(size))
	}
	l.Held += uint(run / size)
	l.Allocs++
	return chunk.Block(c)
}

// list returns the quick list of the class for a call that has been entered.
// That a short call is changing it at the same time is a fault.
func (mc *Context) list(op string, class uint8) *bins.List {
	l := mc.quick.Of(class)
	if l.Head == bins.Busy {
		mc.faultConcurrent(op)
	}
	return l
}

// takeCached returns a cached block of the class, or 0.
func (mc *Context) takeCached(class uint8) raw.Addr {
	l := mc.list("Alloc", class)
	if l.Head == 0 {
		return 0
	}
	if mc.segments.number(l.Head) >= mc.segments.blocks {
		mc.firstCached(l, bins.SizeOf(class))
	}
	b := l.Pop()
	chunk.SetLive(b, class)
	l.Allocs++
	return b
}

// borrow returns a cached block of one of the next larger classes, or 0 if there is
// none. It may be half as large again, three times as large for the smallest, and goes
// back to its own list: better than opening new memory.
func (mc *Context) borrow(class uint8) raw.Addr {
	for larger := class + 1; larger < min(class+1+lenders, bins.Classes); larger++ {
		if b := mc.takeCached(larger); b != 0 {
			return b
		}
	}
	return 0
}

// fit takes the smallest free chunk that can serve size bytes out of its bin or
// tree and returns it with its size, or 0. What is left over must be nothing or
// a chunk; a single unit too much is accepted where that is a class again or
// where there are no classes.
func (mc *Context) fit(size uintptr) (raw.Addr, uintptr) {
	if size <= bins.MaxSmall && mc.small.Count() > 0 {
		if b := mc.small.TakeExact(size); b != 0 {
			return chunk.OfBlock(b), size
		}
		least := size + chunk.Align
		if size > exactChunk {
			least = size + chunk.Min
		}
		if b, found := mc.small.Take(least); b != 0 {
			return chunk.OfBlock(b), found
		}
	}
	return mc.fitTree(size)
}

func (mc *Context) fitTree(size uintptr) (raw.Addr, uintptr) {
	if mc.tree.Count() == 0 {
		return 0, 0
	}
	b := mc.tree.TakeBestFit(size)
	if b == 0 {
		return 0, 0
	}
	found := tree.Size(b)
	if found == size+chunk.Align && size > exactChunk && size <= bins.MaxChunk {
		mc.tree.Insert(b, found)
		if b = mc.tree.TakeBestFit(size + chunk.Min); b == 0 {
			return 0, 0
		}
		found = tree.Size(b)
	}
	return chunk.OfBlock(b), found
}

// carve makes the first size of the found bytes of the free chunk c, which is
// in no bin or tree any more, a chunk in use, and returns how large it really
// became: too small a rest is not worth a chunk.
func (mc *Context) carve(c raw.Addr, found, size uintptr) uintptr {
	behind := c + raw.Addr(found)
	head := chunk.Read(behind, mc.tag)
	if head.IsFence() && head.Span() == found {
		mc.idle -= found
	}
	rest := found - size
	if rest < leastRest(size) {
		chunk.SetPrevInUse(behind)
		chunk.Write(c, mc.tag, chunk.Make(found, chunk.P|chunk.InUse))
		return found
	}
	chunk.Write(c, mc.tag, chunk.Make(size, chunk.P|chunk.InUse))
	mc.insert(c+raw.Addr(size), rest)
	return size
}

// leastRest returns the smallest rest that is split off a chunk of which size
// bytes are used. Behind a large block a small rest would sooner or later be
// given to something small that keeps the whole segment from being given back.
func leastRest(size uintptr) uintptr {
	if size <= bins.MaxChunk {
		return chunk.Min
	}
	return max(chunk.Min, min(size/16, 64<<10)&^(chunk.Align-1))
}

// insert makes the size bytes at c a free chunk and puts it where its size
// belongs. Both neighbours are in use; the one behind is told by the caller.
func (mc *Context) insert(c raw.Addr, size uintptr) {
	chunk.WriteFree(c, mc.tag, size)
	if size <= bins.MaxSmall {
		mc.small.Insert(chunk.Block(c), size)
	} else {
		mc.tree.Insert(chunk.Block(c), size)
	}
}

// remove takes the free chunk c out of its bin or tree.
func (mc *Context) remove(c raw.Addr, size uintptr) {
	if size <= bins.MaxSmall {
		mc.small.Remove(chunk.Block(c), size)
	} else {
		mc.tree.Remove(chunk.Block(c))
	}
}
