package chunk

import "github.com/cookmem-go/cookmem/internal/raw"

const (
	classShift = 40
	classMask  = 0xff
	cachedBit  = 47
)

// CachedMark is the bit of a noted class that says that the chunk is cached.
const CachedMark = 0x80

// Where class and tag lie in the word of a head, as distances from the chunk.
const (
	classAt = 5 - 3*raw.BigEndian
	tagAt   = 6 - 6*raw.BigEndian
)

// Class returns the class noted for the chunk at c: below 128 the chunk is live,
// 0 is no class. It may only be asked where [HasClasses].
func Class(c raw.Addr) uint8 { return raw.Load8(c + classAt) }

// HasClasses says that heads have room for a class.
const HasClasses = wide == 1

// HasTag reports whether the head at c bears a tag, of which top16 is
// [TagTop]. Where there are no tags every head does.
func HasTag(c raw.Addr, top16 uint16) bool {
	return wide == 0 || raw.Load16(c+tagAt) == top16
}

// TagTop returns the 16 bits of a tag that lie in a head.
func TagTop(tag uintptr) uint16 { return uint16(tag >> tagShift) }

// SetLive makes the chunk at c, which is plain and of that class, live. It does
// not read the head, where that can be avoided.
func SetLive(c raw.Addr, class uint8) {
	if HasClasses {
		raw.Store8(c+classAt, class)
	} else {
		raw.Store(c, raw.Load(c)&^uintptr(Q))
	}
}

// SetCached makes the chunk at c, which is plain and of that class, cached.
func SetCached(c raw.Addr, class uint8) {
	if HasClasses {
		raw.Store8(c+classAt, class|CachedMark)
	} else {
		raw.Store(c, raw.Load(c)|uintptr(Q))
	}
}
