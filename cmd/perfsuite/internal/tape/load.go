package tape

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// Tape is a tape in memory. That memory lies outside of the Go heap: the
// collector's pace, and with it the time of the subject goheap, depends on the
// size of what is on it.
type Tape struct {
	slots, body int
	steps       []Step
	memory      *memctx.Context
}

// Load reads a file that Make wrote.
func Load(path string) (*Tape, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("%s is no tape", path)
	}
	number := func(i int) int { return int(binary.NativeEndian.Uint64(head[len(magic)+8*i:])) }
	t := &Tape{slots: number(0), body: number(1)}
	// Pages of the system, and not of the cache that the contexts under test use.
	if t.memory, err = memctx.New(&memctx.Options{Name: "tape", Provider: segment.OS()}); err != nil {
		return nil, err
	}
	if err := t.read(f, number(2)); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), t.memory.Close())
	}
	return t, nil
}

func (t *Tape) read(f io.Reader, count int) error {
	p, err := t.memory.Alloc(count * stepSize)
	if err != nil {
		return err
	}
	t.steps = unsafe.Slice((*Step)(p), count)
	_, err = io.ReadFull(f, unsafe.Slice((*byte)(p), count*stepSize))
	return err
}

// Close gives the memory back. The steps must not be used any more.
func (t *Tape) Close() error {
	t.steps = nil
	return t.memory.Close()
}

// Slots returns how many slots the steps name.
func (t *Tape) Slots() int { return t.slots }

// Body returns the steps of the stream.
func (t *Tape) Body() []Step { return t.steps[:t.body] }

// Tail returns the drops of what is live at the stream's end.
func (t *Tape) Tail() []Step { return t.steps[t.body:] }
