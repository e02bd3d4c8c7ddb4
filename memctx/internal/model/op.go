package model

import (
	"fmt"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
)

// Kind is what an operation does.
type Kind uint8

// The kinds of operations.
const (
	Alloc Kind = iota
	AllocZeroed
	AllocAligned
	Bytes
	CloneBytes
	Realloc
	TryResize
	Free
	FreeSized
	FreeBytes
	Impossible // a request that must be refused with ErrSize or ErrAlign
	Trim
	Reset
	SetLimit
	Fail // let some of the next provider calls fail
	AllocMany
	FreeMany
)

var kindNames = [...]string{"Alloc", "AllocZeroed", "AllocAligned", "Bytes", "CloneBytes", "Realloc", "TryResize",
	"Free", "FreeSized", "FreeBytes", "Impossible", "Trim", "Reset", "SetLimit", "Fail", "AllocMany", "FreeMany"}

// String returns the name of the call.
func (k Kind) String() string { return kindNames[k] }

// weights tell how many of 256 operations are of a kind.
var weights = [...]int{
	Alloc: 65, AllocZeroed: 16, AllocAligned: 18, Bytes: 6, CloneBytes: 6,
	Realloc: 34, TryResize: 12, Free: 63, FreeSized: 12, FreeBytes: 6,
	Impossible: 4, Trim: 2, Reset: 1, SetLimit: 4, Fail: 3, AllocMany: 1, FreeMany: 3,
}

// kindOf maps a byte to a kind. A context that is always empty, or always at
// its limit, shows little; hence the weights.
var kindOf = func() (table [256]Kind) {
	at := 0
	for kind, weight := range weights {
		for range weight {
			table[at] = Kind(kind)
			at++
		}
	}
	return table
}()

// OpBytes is the number of bytes that make an operation.
const OpBytes = 6

// Op is one operation.
type Op struct {
	Kind  Kind
	Index uint16 // which block, counted around
	N     int    // bytes asked for
	Arg   byte   // alignment, limit, failures: as the kind needs it
}

// Decode makes an operation of [OpBytes] bytes. Any bytes are an operation.
func Decode(b []byte) Op {
	return Op{
		Kind:  kindOf[b[0]],
		Index: uint16(b[1]) | uint16(b[2])<<8,
		N:     sizeOf(uint(b[3]) | uint(b[4])<<8),
		Arg:   b[5],
	}
}

// edges are sizes at which the heap decides something.
var edges = [...]int{
	0, 1, bins.MaxRequest, bins.MaxSmall, 32 * chunk.Align, 33 * chunk.Align, 4096, 8192,
	16 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20,
}

// sizeOf maps 16 bits to a size, small ones far more often than large ones.
func sizeOf(code uint) int {
	low := int(code & 0x1fff)
	switch code >> 13 {
	case 0, 1:
		return low % 256
	case 2:
		return low % 1024
	case 3: // around multiples of the alignment
		return max(0, low%(bins.MaxChunk/chunk.Align+8)*chunk.Align+low%7-3)
	case 4:
		return low
	case 5:
		return low * 4
	case 6:
		return max(0, edges[low%len(edges)]+low/len(edges)%65-32)
	}
	if low%8 == 0 {
		return low * 32
	}
	return low % 128
}

// String returns the operation as a call.
func (op Op) String() string {
	return fmt.Sprintf("%v(block %d, n %d, arg %#x)", op.Kind, op.Index, op.N, op.Arg)
}
