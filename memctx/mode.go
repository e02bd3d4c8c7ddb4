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
	reach         // Free and Realloc: the blocks whose heads they may read
}

// mostRequests is the gate's bound when it is open: every request that has a class.
const mostRequests = bins.MaxRequest + 1

// reach is the range of addresses in which a context has blocks of classes. Free reads
// the head before a block to learn whether it is one, and to read memory that is not
// there ends the process. So it asks first whether the address is in reach. Others are
// looked up among the segments, and what lies in none of them is never read.
//
// The range goes from the first segment that is shared by many blocks to the last.
// Between these there may be memory of others, and none at all.
type reach struct {
	shift  uint // minus the address of the first block there can be: adding takes an instruction less
	blocks uint // how many there can be
}

// number counts the addresses at which blocks can be, from 0 for the lowest.
// Misaligned addresses get numbers above all of those: the bits that should be zero
// are rotated to the top. So do lower ones and nil, whose sums do not wrap.
func (r *reach) number(b raw.Addr) uint {
	return bits.RotateLeft(r.shift+uint(b), -chunk.AlignShift)
}

// setMode changes the mode, and opens or shuts the gate.
func (mc *Context) setMode(m mode) {
	mc.mode, mc.short = m, gate{}
	if m == 0 {
		mc.short = gate{mostRequests, mc.segments.reach}
	}
}
