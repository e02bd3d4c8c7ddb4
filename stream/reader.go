package stream

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Reader reads a stream. A Reader belongs to one goroutine at a time.
type Reader struct {
	ledger ledger
	input  *input
	file   *bufio.Reader // compressed
	zip    *gzip.Reader
	body   *bufio.Reader // what zip makes of it
	source string
	err    error // ended the stream; io.EOF if all is well
}

// NewReader reads the beginning of a stream from r. It reads ahead.
func NewReader(r io.Reader) (*Reader, error) {
	s := &Reader{input: &input{r: r}}
	s.file = bufio.NewReader(s.input)
	var err error
	if s.zip, err = gzip.NewReader(s.file); err != nil {
		return nil, s.damage(err)
	}
	s.zip.Multistream(false)
	s.body = bufio.NewReader(s.zip)
	if err := s.readHead(); err != nil {
		return nil, s.damage(err)
	}
	return s, nil
}

func (r *Reader) readHead() error {
	head := make([]byte, len(magic)+1)
	if _, err := io.ReadFull(r.body, head); err != nil {
		return err
	}
	if string(head[:len(magic)]) != magic {
		return errors.New("it does not begin with " + magic)
	}
	if v := head[len(magic)]; v != version {
		return fmt.Errorf("version %d of the format, only %d is known", v, version)
	}
	length, err := binary.ReadUvarint(r.body)
	if err != nil {
		return err
	}
	if length > MaxSource {
		return fmt.Errorf("a source of %d bytes", length)
	}
	source := make([]byte, length)
	_, err = io.ReadFull(r.body, source)
	r.source = string(source)
	return err
}

// Source returns what the writer said the stream comes from.
func (r *Reader) Source() string { return r.source }

// Counts returns the counts of the events read so far.
func (r *Reader) Counts() Counts { return r.ledger.counts }

// Next returns the next event. After the last one, and once the file's checksum
// and counts have been found to agree, it returns io.EOF. All other errors are
// those of what the stream is read from, or wrap ErrDamaged; the events before
// them may be wrong then.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	e, err := r.next()
	if err != nil {
		if !errors.Is(err, errEnd) {
			r.err = r.damage(err)
		} else if err := r.readEnd(); err != nil {
			r.err = r.damage(err)
		} else {
			r.err = io.EOF
		}
		return Event{}, r.err
	}
	return e, nil
}

var errEnd = errors.New("the word of the end")

func (r *Reader) next() (e Event, err error) {
	kind, operand, err := readWord(r.body)
	if err != nil {
		return e, err
	}
	switch kind {
	case wordAlloc, wordZeroed, wordAligned:
		return r.block(kind, operand)
	case wordRealloc:
		return r.realloc(apply(r.ledger.used, operand))
	case wordFreeUsed:
		return r.free(apply(r.ledger.used, operand))
	case wordFreeFreed:
		return r.free(apply(r.ledger.freed, operand))
	}
	if operand != 0 {
		return e, fmt.Errorf("a word of kind %d with the operand %d", kind, operand)
	}
	if kind == wordEnd {
		return e, errEnd
	}
	r.ledger.reset()
	return Event{Kind: Reset}, nil
}

func (r *Reader) block(kind byte, size uint64) (e Event, err error) {
	if kind == wordZeroed {
		e.Kind = Zeroed
	}
	if e.N, err = toSize(size); err != nil {
		return e, err
	}
	if kind == wordAligned {
		log, err := r.body.ReadByte()
		if err != nil {
			return e, err
		}
		if log < leastAlign || log > strconv.IntSize-2 {
			return e, fmt.Errorf("an alignment of 2 to the %d", log)
		}
		e.Align = 1 << log
	}
	e.Slot, err = r.ledger.alloc(e.N)
	return e, err
}

func (r *Reader) realloc(slot int64) (e Event, err error) {
	size, err := binary.ReadUvarint(r.body)
	if err != nil {
		return e, err
	}
	e = Event{Kind: Realloc, Slot: toSlot(slot)}
	if e.N, err = toSize(size); err != nil {
		return e, err
	}
	e.Old, err = r.ledger.realloc(e.Slot, e.N)
	return e, err
}

func (r *Reader) free(slot int64) (e Event, err error) {
	e = Event{Kind: Free, Slot: toSlot(slot)}
	e.Old, err = r.ledger.drop(e.Slot)
	return e, err
}

// toSize makes a size of a number that was read.
func toSize(n uint64) (int, error) {
	if n > math.MaxInt {
		return 0, fmt.Errorf("a block of %d bytes, more than this system can address", n)
	}
	return int(n), nil
}

// toSlot makes a slot of a number that was read, one without a block if there
// is no such slot.
func toSlot(n int64) int {
	if n < 0 || n >= MaxSlots {
		return vacant
	}
	return int(n)
}

// readEnd compares the counts and the checksum, and that nothing follows.
func (r *Reader) readEnd() error {
	for _, want := range r.ledger.counts.all() {
		got, err := binary.ReadUvarint(r.body)
		if err != nil {
			return err
		}
		if got != uint64(*want) {
			return fmt.Errorf("it counts %d where its events give %d", got, *want)
		}
	}
	if _, err := r.body.ReadByte(); err != io.EOF {
		return orElse(err, "its end")
	}
	if _, err := r.file.ReadByte(); err != io.EOF {
		return orElse(err, "the file's end")
	}
	return nil
}

// orElse returns err, or an error that says what something followed.
func orElse(err error, what string) error {
	if err == nil {
		err = errors.New("there is more behind " + what)
	}
	return err
}

// damage tells an error about the contents from one of the input.
func (r *Reader) damage(err error) error {
	if r.input.err != nil {
		return fmt.Errorf("stream: %w", r.input.err)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("stream: %w: after %d events: %w", ErrDamaged, r.ledger.counts.Events(), err)
}

// input notes the error of what a stream is read from.
type input struct {
	r   io.Reader
	err error // other than io.EOF
}

func (i *input) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if err != nil && err != io.EOF {
		i.err = err
	}
	return n, err
}
