package memctx

import (
	"math/bits"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// mode is what a context is and does. Zero means: an ordinary context that is
// open and idle, and calls may take their short way. Whatever else a context can
// be or do is a bit here and sends calls to their checked form.
type mode uint32

const (
	busy     mode = 1 << iota // a checked call is under way; short ones mark the list
	closed                    // Close has begun
	exact                     // every block has a trailer with its requested size
	guard                     // and guard bytes before and after
	reported                  // Close or Reset has reported a broken guard
)

// trailed are the modes in which every block has a trailer.
const trailed = exact | guard

// gate is what the short ways let through, as bounds: a short way compares what
// it was given with a bound, which it would do anyway, and learns by the same
// comparison that the mode allows it. The gate is shut, all zero, unless mode is
// zero.
type gate struct {
	requests uint // Alloc: requests of fewer bytes
	blocks   uint // Free and Realloc: blocks with a lower number
}

// openGate lets every request through that has a class, and every block that is
// aligned and not nil.
var openGate = gate{
	requests: bins.MaxRequest + 1,
	blocks:   ^uint(0) >> chunk.AlignShift,
}

// blockNumber counts the addresses at which blocks can be, from 0 for the lowest
// that is not nil. Nil and misaligned addresses get numbers above all of those:
// the bits that should be zero are rotated to the top.
func blockNumber(b raw.Addr) uint { return bits.RotateLeft(uint(b), -chunk.AlignShift) - 1 }

// setMode changes the mode, and opens or shuts the gate.
func (mc *Context) setMode(m mode) {
	mc.mode, mc.short = m, gate{}
	if m == 0 {
		mc.short = openGate
	}
}
