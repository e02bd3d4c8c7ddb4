package stream

import (
	"errors"
	"fmt"
)

// Kind says what an event asks for.
type Kind uint8

// The kinds of events.
const (
	Alloc   Kind = iota // a new block of N bytes; Align is 0 or a power of two above 16
	Zeroed              // a new block of N bytes that are zero
	Realloc             // the block in Slot is brought from Old to N bytes and keeps its alignment
	Free                // the block in Slot, of Old bytes, is given back
	Reset               // all blocks are dropped at once
)

var kindNames = [...]string{"alloc", "zeroed", "realloc", "free", "reset"}

// String returns the name of the kind, such as realloc.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Event is one request of a program. Fields that its kind does not mention are
// zero.
type Event struct {
	Kind  Kind
	Slot  int // the block's name
	N     int // bytes asked for
	Old   int // bytes that the block had
	Align int // alignment in bytes of a block that wants one above 16, else 0
}

// Counts sum a stream up.
type Counts struct {
	Allocs   int64 // new blocks
	Reallocs int64
	Frees    int64 // blocks given back one by one
	Resets   int64
	Bytes    int64 // asked for by all new and resized blocks
	Slots    int64 // most blocks live together
	Peak     int64 // most bytes live together, as they were asked for
}

// Events returns the number of events.
func (c *Counts) Events() int64 { return c.Allocs + c.Reallocs + c.Frees + c.Resets }

// Limits of streams. A writer refuses what is beyond them, and a reader takes it
// for damage: they keep a hostile file from costing more than some hundred MiB.
const (
	MaxSlots  = 1 << 26 // blocks live together
	MaxSource = 1 << 16 // bytes of the source's description
)

// ErrDamaged is wrapped by all errors about a file's contents: it is no stream,
// or not what its writer wrote, or ends too early.
var ErrDamaged = errors.New("damaged stream of allocation events")

// ErrClosed is returned by a Writer or Recorder that was closed before.
var ErrClosed = errors.New("stream of allocation events is closed")
