package chunk

import "github.com/cookmem-go/cookmem/internal/raw"

const (
	classShift = 40
	classMask  = 0xff
	cachedBit  = 47
)

// CachedMark is the bit of a noted class that says that the chunk is cached.
const CachedMark = 0x80

// Where class and tag lie in the word of a head, as distances before the block.
// The functions that follow take blocks, which is what the short ways of Alloc and
// Free have in hand.
const (
	// ClassBefore is how far before a block its class is noted, where [HasClasses].
	ClassBefore = 3 + 3*raw.BigEndian

	// TagBefore is how far before a block its tag lies, of which [TagTop] is the
	// value, where [HasClasses].
	TagBefore = 2 + 6*raw.BigEndian
)

// Class returns the class noted for the chunk of block b: below 128 the chunk is
// live, 0 is no class. It may only be asked where [HasClasses].
func Class(b raw.Addr) uint8 { return raw.Load8(b - ClassBefore) }

// HasClasses says that heads have room for a class.
const HasClasses = wide == 1

// PlainSize returns the size of the chunk of block b if it is plain and live under
// the tag, and else 0.
func PlainSize(b raw.Addr, tag uintptr) uintptr {
	const mustBeZero = 0xffff*wide<<tagShift | wide<<(cachedBit*wide) | Limit | Q
	w := raw.Load(b-Header) ^ tag
	if w&(mustBeZero|C) != C {
		return 0
	}
	return w & (Limit - 1) &^ flags
}

// HasTag reports whether the head before block b bears a tag, of which top16 is
// [TagTop]. Where there are no tags every head does.
func HasTag(b raw.Addr, top16 uint16) bool {
	return wide == 0 || raw.Load16(b-TagBefore) == top16
}

// TagTop returns the 16 bits of a tag that lie in a head.
func TagTop(tag uintptr) uint16 { return uint16(tag >> tagShift) }

// SetLive makes the chunk of block b, which is plain and of that class, live. It
// does not read the head, where that can be avoided.
func SetLive(b raw.Addr, class uint8) {
	if HasClasses {
		raw.Store8(b-ClassBefore, class)
	} else {
		raw.Store(b-Header, raw.Load(b-Header)&^uintptr(Q))
	}
}

// SetCached makes the chunk of block b, which is plain and of that class, cached.
func SetCached(b raw.Addr, class uint8) {
	if HasClasses {
		raw.Store8(b-ClassBefore, class|CachedMark)
	} else {
		raw.Store(b-Header, raw.Load(b-Header)|uintptr(Q))
	}
}
