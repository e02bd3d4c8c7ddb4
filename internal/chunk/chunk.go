// Package chunk draws the boundary tags of the heap and knows how to move from
// one chunk to the next.
//
// A segment is divided without gaps into chunks. A chunk is one word of head
// and a payload; its address is the address of its head, its block is the
// address of its payload:
//
//	chunk  -> +------------------------------------+
//	          | head: tag ^ (size | flags)         |  one word
//	block  -> +------------------------------------+  aligned to Align
//	          | payload                            |
//	          |   in use: the user's bytes         |
//	          |   cached: link to the next cached  |
//	          |   free:   links of bin or tree ... |
//	          |                ... | foot: size    |  last word, free chunks only
//	chunk' -> +------------------------------------+
//	          | head of the next chunk             |
//
// The size covers head and payload and is a multiple of Align, so its low bits
// are free for three flags:
//
//	P  the previous chunk is in use (or there is none): the word before the
//	   head belongs to it. If P is clear that word is the previous foot.
//	C  and Q tell the state:
//	     C Q
//	     0 0  free: in a bin or a tree, links and foot valid
//	     1 0  in use
//	     1 1  cached in a quick list; in use as far as neighbours can tell
//	     0 1  in use, with a trailer at its end (exact size, guards, alignment)
//
// This is Doug Lea's layout: eight bytes of overhead a block on 64-bit
// systems, because the foot lies in memory that only a free chunk can spare.
//
// The governing invariant: no two free chunks are neighbours, and a head is
// only ever written by the code of this package.
//
// On 64-bit systems the upper bytes of a head's word hold more than size and
// flags. From the top: two bytes are xored with the tag of the context, so that a
// head read back with another tag decodes to an impossible size, and foreign and
// wild pointers are told without a search. The third byte is the class of a plain
// chunk, 0 if it has none or it was not noted; its highest bit says that the
// chunk is cached, in place of the flag Q. So Free learns from one byte that the
// block is live and whose list it belongs to, and that byte is written as a whole
// whenever a chunk changes hands: no call waits for a head that another has just
// read and changed. On 32-bit systems there is no room for either; there the
// flag tells and the size is looked up. [Read] hides the difference.
//
// A chunk that is absorbed by a neighbour leaves a tombstone, a head that
// decodes to zero. Freeing it once more is thereby seen until the memory has
// been handed out again.
package chunk

import (
	"fmt"

	"github.com/cookmem-go/cookmem/internal/raw"
)

const (
	// Header is the overhead of a block in use, in bytes.
	Header = raw.Word

	// Align is the alignment of every block, in bytes: 16 on 64-bit systems,
	// 8 on 32-bit ones.
	Align = 1 << AlignShift

	// AlignShift is the logarithm of Align.
	AlignShift = 3 + wide

	// Min is the smallest size of a chunk: head, two links, foot.
	Min = 4 * raw.Word

	// Limit is above the size of every chunk: 512 GiB on 64-bit systems, where
	// it is also below every head that was read with the wrong tag; 2 GiB on
	// 32-bit ones.
	Limit = 1 << (31 + 8*wide)
)

const (
	wide     = raw.Word / 8 // 1 on 64-bit systems, 0 on 32-bit ones
	tagShift = 48 * wide
)

// The flags of a head.
const (
	P = 1 << iota // the previous chunk is in use
	C             // in use or cached
	Q             // cached, or in use with a trailer

	flags = P | C | Q
)

// Head is a decoded head: a size and flags.
type Head uintptr

// Make returns the head of a chunk of size bytes with the given flags.
func Make(size uintptr, flags Head) Head { return Head(size) | flags }

// Size returns the size in bytes, head included.
func (h Head) Size() uintptr { return uintptr(h) &^ flags }

// PrevInUse reports whether the chunk before is in use.
func (h Head) PrevInUse() bool { return h&P != 0 }

// State returns the bits that tell the state: [Free], [InUse], [Cached] or
// [Trailed].
func (h Head) State() Head { return h & (C | Q) }

// The states of a chunk.
const (
	Free    Head = 0
	InUse   Head = C
	Cached  Head = C | Q
	Trailed Head = Q
)

// MakeFence returns the head that ends a segment: in use for the chunk before
// it, larger than any chunk, and telling the span, the bytes from the segment's
// first chunk to the fence. A free chunk of that size is the whole segment.
func MakeFence(span uintptr) Head { return Make(Limit+span, C) }

// IsFence reports whether h ends a segment.
func (h Head) IsFence() bool { return h-Limit < Limit }

// Span returns the span that a fence tells.
func (h Head) Span() uintptr { return h.Size() - Limit }

// TagOf returns the tag number n as it is xored into heads: 16 bits at the top
// of the word on 64-bit systems, never zero; zero on 32-bit ones.
func TagOf(n uint64) uintptr {
	if wide == 0 {
		return 0
	}
	return uintptr(n%0xffff+1) << tagShift
}

// Read returns the head at c, without its class.
func Read(c raw.Addr, tag uintptr) Head {
	w := raw.Load(c) ^ tag
	if wide == 0 {
		return Head(w)
	}
	cached := w >> (cachedBit * wide) & 1
	return Head(w&^(classMask<<(classShift*wide)) | cached*uintptr(Q))
}

// Write sets the head at c. It notes no class.
func Write(c raw.Addr, tag uintptr, h Head) {
	w := uintptr(h)
	if wide == 1 && h.State() == Cached {
		w = w&^uintptr(Q) | 1<<(cachedBit*wide)
	}
	raw.Store(c, w^tag)
}

// SetPrevInUse sets the flag P of the head at c and leaves the rest of it.
func SetPrevInUse(c raw.Addr) { raw.Store(c, raw.Load(c)|uintptr(P)) }

// SetPrevFree clears the flag P of the head at c and leaves the rest of it.
func SetPrevFree(c raw.Addr) { raw.Store(c, raw.Load(c)&^uintptr(P)) }

// Bury leaves a tombstone at c, which an absorbed chunk's head must become.
func Bury(c raw.Addr, tag uintptr) { Write(c, tag, 0) }

// WriteFree makes the size bytes at c a free chunk whose neighbours are in
// use: head and foot. The flag P of the chunk behind is the caller's business.
func WriteFree(c raw.Addr, tag, size uintptr) {
	Write(c, tag, Make(size, P|Free))
	raw.Store(c+raw.Addr(size)-raw.Word, size)
}

// Foot returns the size that the free chunk before c left in its last word.
// It may only be asked when the head at c has P clear.
func Foot(c raw.Addr) uintptr { return raw.Load(c - raw.Word) }

// Block returns the address of the chunk's payload.
func Block(c raw.Addr) raw.Addr { return c + Header }

// OfBlock returns the chunk that the block belongs to.
func OfBlock(b raw.Addr) raw.Addr { return b - Header }

// Plausible reports whether size can be the size of a chunk at all.
func Plausible(size uintptr) bool {
	return size >= Min && size%Align == 0
}

// String returns the head in words, for errors.
func (h Head) String() string {
	if h.IsFence() {
		return fmt.Sprintf("a fence of %d bytes", h.Span())
	}
	state := map[Head]string{Free: "free", InUse: "in use", Cached: "cached", Trailed: "in use with trailer"}
	before := "free"
	if h.PrevInUse() {
		before = "in use"
	}
	return fmt.Sprintf("%s of %d bytes (chunk before %s)", state[h.State()], h.Size(), before)
}
