package stream

import (
	"fmt"
	"math"
)

// ledger knows the live blocks of a stream by their slots. The writer and the
// reader of a stream keep one each and enter the same events.
type ledger struct {
	slots  slots
	used   int   // slot of the last new or resized block
	freed  int   // slot given back last
	live   int64 // bytes
	counts Counts
}

// alloc enters a new block and returns its slot.
func (l *ledger) alloc(n int) (slot int, err error) {
	if err := l.mayAsk(n, 0); err != nil {
		return 0, err
	}
	if slot = l.slots.take(n); slot == vacant {
		return 0, fmt.Errorf("more than %d blocks live", MaxSlots)
	}
	l.used = slot
	l.counts.Allocs++
	l.counts.Slots = max(l.counts.Slots, int64(l.slots.live))
	l.ask(n, 0)
	return slot, nil
}

// realloc enters another size of a block and returns the one it had.
func (l *ledger) realloc(slot, n int) (old int, err error) {
	if old, err = l.find(slot); err != nil {
		return 0, err
	}
	if err := l.mayAsk(n, old); err != nil {
		return 0, err
	}
	*l.slots.at(slot) = n
	l.used = slot
	l.counts.Reallocs++
	l.ask(n, old)
	return old, nil
}

// drop enters that a block is given back and returns its size.
func (l *ledger) drop(slot int) (old int, err error) {
	if old, err = l.find(slot); err != nil {
		return 0, err
	}
	l.slots.vacate(slot)
	l.freed = slot
	l.counts.Frees++
	l.live -= int64(old)
	return old, nil
}

// reset enters that all blocks are gone. Slots are given out from 0 again.
func (l *ledger) reset() {
	l.slots.clear()
	l.used, l.freed = 0, 0
	l.live = 0
	l.counts.Resets++
}

// find returns the size of the block in a slot.
func (l *ledger) find(slot int) (int, error) {
	if slot >= 0 && slot < l.slots.used {
		if n := *l.slots.at(slot); n > vacant {
			return n, nil
		}
	}
	return 0, fmt.Errorf("slot %d holds no block", slot)
}

// mayAsk refuses sizes that are none, and sums that no program can reach.
func (l *ledger) mayAsk(n, old int) error {
	if n < 0 || int64(n) > math.MaxInt64-l.counts.Bytes || int64(n) > math.MaxInt64-(l.live-int64(old)) {
		return fmt.Errorf("%d bytes are no size", n)
	}
	return nil
}

func (l *ledger) ask(n, old int) {
	l.counts.Bytes += int64(n)
	l.live += int64(n) - int64(old)
	l.counts.Peak = max(l.counts.Peak, l.live)
}
