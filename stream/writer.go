package stream

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// flushAt is the number of encoded bytes that are handed on together.
const flushAt = 1 << 14

// Writer writes a stream. The first error stays: later calls do nothing and
// Close returns it. A Writer belongs to one goroutine at a time.
type Writer struct {
	ledger ledger
	zip    *gzip.Writer
	buffer []byte
	err    error
}

// NewWriter starts a stream on w. The source is a line or two for people: which
// program, doing what; at most MaxSource bytes.
func NewWriter(w io.Writer, source string) (*Writer, error) {
	if len(source) > MaxSource {
		return nil, fmt.Errorf("stream: a source of %d bytes, at most %d are kept", len(source), MaxSource)
	}
	s := &Writer{zip: gzip.NewWriter(w), buffer: append([]byte(magic), version)}
	s.buffer = binary.AppendUvarint(s.buffer, uint64(len(source)))
	s.buffer = append(s.buffer, source...)
	return s, nil
}

// Alloc writes that a block of n bytes was allocated, aligned to align, and
// returns its slot. Alignments up to 16 are what every block has, and 0 asks for
// none.
func (w *Writer) Alloc(n, align int) (slot int) {
	if align <= 1<<(leastAlign-1) {
		return w.block(wordAlloc, n)
	}
	if bits.OnesCount(uint(align)) != 1 {
		w.fail(fmt.Errorf("an alignment of %d", align))
		return 0
	}
	slot = w.block(wordAligned, n)
	w.buffer = append(w.buffer, byte(bits.TrailingZeros(uint(align))))
	return slot
}

// Zeroed writes that a block of n zero bytes was allocated, and returns its
// slot.
func (w *Writer) Zeroed(n int) (slot int) { return w.block(wordZeroed, n) }

func (w *Writer) block(kind byte, n int) (slot int) {
	if w.err != nil {
		return 0
	}
	slot, err := w.ledger.alloc(n)
	if err != nil {
		w.fail(err)
		return 0
	}
	w.word(kind, uint64(n))
	return slot
}

// Realloc writes that the block in a slot was brought to n bytes. It keeps its
// slot and its alignment.
func (w *Writer) Realloc(slot, n int) {
	if w.err != nil {
		return
	}
	used := w.ledger.used
	if _, err := w.ledger.realloc(slot, n); err != nil {
		w.fail(err)
		return
	}
	w.word(wordRealloc, distance(slot, used))
	w.buffer = binary.AppendUvarint(w.buffer, uint64(n))
}

// Free writes that the block in a slot was given back.
func (w *Writer) Free(slot int) {
	if w.err != nil {
		return
	}
	used, freed := distance(slot, w.ledger.used), distance(slot, w.ledger.freed)
	if _, err := w.ledger.drop(slot); err != nil {
		w.fail(err)
		return
	}
	if used <= freed {
		w.word(wordFreeUsed, used)
	} else {
		w.word(wordFreeFreed, freed)
	}
}

// Reset writes that all blocks were dropped at once.
func (w *Writer) Reset() {
	if w.err == nil {
		w.ledger.reset()
		w.word(wordReset, 0)
	}
}

// Counts returns the counts so far.
func (w *Writer) Counts() Counts { return w.ledger.counts }

// Close completes the stream and returns the first error there was. It does not
// close what the stream was written to. A second call returns ErrClosed.
func (w *Writer) Close() error {
	if errors.Is(w.err, ErrClosed) {
		return w.err
	}
	if w.err == nil {
		w.word(wordEnd, 0)
		for _, c := range w.ledger.counts.all() {
			w.buffer = binary.AppendUvarint(w.buffer, uint64(*c))
		}
		w.flush()
	}
	err := w.err
	if err == nil {
		err = w.zip.Close()
	}
	w.err = fmt.Errorf("stream: %w", ErrClosed)
	return err
}

// all returns the counts in the order of the file.
func (c *Counts) all() []*int64 {
	return []*int64{&c.Allocs, &c.Reallocs, &c.Frees, &c.Resets, &c.Bytes, &c.Slots, &c.Peak}
}

func (w *Writer) word(kind byte, operand uint64) {
	if len(w.buffer) >= flushAt {
		w.flush()
	}
	w.buffer = appendWord(w.buffer, kind, operand)
}

func (w *Writer) flush() {
	if _, err := w.zip.Write(w.buffer); err != nil {
		w.fail(err)
	}
	w.buffer = w.buffer[:0]
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = fmt.Errorf("stream: event %d: %w", w.ledger.counts.Events()+1, err)
	}
}
