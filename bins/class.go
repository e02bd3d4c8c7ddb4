package bins

import (
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

const (
	// Every multiple of Align up to exactUnits is a class. Above, each doubling has
	// perDouble classes, each one unit beyond the step that one would expect: a
	// power of two and the head fit exactly, and powers of two are what programs
	// ask for.
	exactUnits = 1 + 32
	perDouble  = 8
	maxUnits   = 1 + 512 // the largest class

	// First is the class of the smallest chunks. Those below are unused, and 0 stands
	// for none.
	First = chunk.Min / chunk.Align

	// Classes is the number of classes, counting those below First.
	Classes = exactUnits + 1 + 4*perDouble

	// MaxChunk is the largest size of a chunk that has a class, in bytes: a unit
	// more than 8 KiB on 64-bit systems, than 4 KiB on 32-bit ones.
	MaxChunk = maxUnits * chunk.Align

	// MaxRequest is the largest number of bytes a caller can ask for that
	// still has a class.
	MaxRequest = MaxChunk - chunk.Header
)

// ByUnits maps a size in units of Align, which must not exceed that of
// [MaxChunk], to the smallest class that holds it. Its length is a power of two:
// an index can be masked, which is cheaper than to check it.
var ByUnits = makeByUnits()

// sizeOfClass maps a class to its size in bytes.
var sizeOfClass = makeSizeOfClass()

// unitsOfClass returns the size of a class in units of Align.
func unitsOfClass(class int) int {
	if class <= exactUnits {
		return class
	}
	doubling, step := (class-exactUnits-1)/perDouble, (class-exactUnits-1)%perDouble+1
	return 1 + (perDouble+step)*(exactUnits-1)/perDouble<<doubling
}

func makeByUnits() (table [1024]uint8) {
	class := chunk.Min / chunk.Align
	for u := range table[:maxUnits+1] {
		if u > unitsOfClass(class) {
			class++
		}
		table[u] = uint8(class)
	}
	return table
}

func makeSizeOfClass() (table [Classes]uint32) {
	for class := range table {
		table[class] = uint32(unitsOfClass(class)) * chunk.Align
	}
	return table
}

// ForRequest returns the class that serves a request of n bytes, which must
// not exceed [MaxRequest].
func ForRequest(n uint) uint8 {
	return ByUnits[(n+chunk.Header+chunk.Align-1)/chunk.Align%uint(len(ByUnits))]
}

// ForChunk returns the smallest class that a chunk of size bytes fits in. size
// must not exceed [MaxChunk].
func ForChunk(size uintptr) uint8 { return ByUnits[size/chunk.Align] }

// SizeOf returns the size of the chunks of a class in bytes.
func SizeOf(class uint8) uintptr { return uintptr(sizeOfClass[class]) }

// IsClass reports whether size is exactly the size of a class.
func IsClass(size uintptr) bool {
	return size >= chunk.Min && size <= MaxChunk && SizeOf(ForChunk(size)) == size
}

// OfLive returns the class of the plain live block b if that can be told at once,
// and else 0 or a number that is no class.
func OfLive(b raw.Addr) uint8 {
	if chunk.HasClasses {
		return chunk.Class(b)
	}
	head := raw.Load(b - chunk.Header)
	if head&uintptr(chunk.C|chunk.Q) != uintptr(chunk.C) || head >= MaxChunk+chunk.Align {
		return 0
	}
	return ByUnits[head/chunk.Align]
}
