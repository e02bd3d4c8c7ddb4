package shim

import (
	"fmt"
	"math"

	"github.com/cookmem-go/cookmem/stream"
)

// maxAlign is the logarithm of the largest alignment that is believed.
const maxAlign = 40

// converter names blocks by slots.
type converter struct {
	w     *stream.Writer
	slots map[uint64]int // by address
}

// Convert writes the log as a stream. The writer is left open.
func (l *Log) Convert(w *stream.Writer) error {
	c := &converter{w: w, slots: map[uint64]int{}}
	return l.each(c.convert)
}

func (c *converter) convert(r record) error {
	if r.size > math.MaxInt {
		return fmt.Errorf("a block of %d bytes in the log", r.size)
	}
	switch r.kind {
	case kindAlloc, kindZeroed:
		c.alloc(r)
	case kindRealloc:
		c.realloc(r)
	case kindFree:
		c.free(r.address)
	default:
		return fmt.Errorf("a record of kind %d in the log", r.kind)
	}
	return nil
}

// alloc enters a new block. One at an address that is in use tells of a free
// that the library could not see.
func (c *converter) alloc(r record) {
	c.free(r.address)
	if r.kind == kindZeroed {
		c.slots[r.address] = c.w.Zeroed(int(r.size))
	} else {
		c.slots[r.address] = c.w.Alloc(int(r.size), 1<<min(r.align, maxAlign))
	}
}

// realloc enters another size. A block from before the log is a new one.
func (c *converter) realloc(r record) {
	slot, known := c.slots[r.old]
	if !known {
		c.alloc(record{kind: kindAlloc, address: r.address, size: r.size})
		return
	}
	delete(c.slots, r.old)
	c.free(r.address)
	c.slots[r.address] = slot
	c.w.Realloc(slot, int(r.size))
}

// free enters that a block is gone, if there is one.
func (c *converter) free(address uint64) {
	if slot, known := c.slots[address]; known {
		delete(c.slots, address)
		c.w.Free(slot)
	}
}
