package tape

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"

	"github.com/cookmem-go/cookmem/stream"
)

// ErrLong is wrapped by the error of Make about a stream whose tape would be larger
// than it may be.
var ErrLong = errors.New("too long for a tape")

// MostAsked is how many bytes a stream may ask for in sum, alignments included.
// Playing writes a byte in each page of them, which takes minutes then, and years
// where a few KiB ask for all that a number can say.
const MostAsked = 1 << 40

// Made says what a tape takes.
type Made struct {
	stream.Counts
	Size   int64 // bytes of the file
	Asked  int64 // bytes asked for in sum, each with its alignment if that is above 16
	Padded int64 // bytes live at most, with alignments too, as on a heap that gets them by padding
}

// maker writes the steps of a stream. It knows the live blocks, for the drops.
type maker struct {
	out   *bufio.Writer
	buf   [stepSize]byte
	live  []*[pageSlots]block // by slot, in pages that are not copied when they become more
	used  int                 // slots that have had a block since the last reset
	count int64               // steps
	held  int                 // live blocks
	bytes int64               // in them, with their alignments
	made  Made
	most  int64 // steps
	err   error // of the file
}

// block is the size of a live block and, in the lowest bits, one more than the log
// of its alignment. It is 0 where there is none.
type block uint64

const (
	logBits   = 8
	pageSlots = 1 << 12
)

func newBlock(size int, log uint8) block { return block(size)<<logBits | block(log) + 1 }

func (b block) size() int { return int(b >> logBits) }

func (b block) log() uint8 { return uint8(b) - 1 }

// padded returns the bytes that the block takes where alignment comes by padding.
func (b block) padded() int64 {
	if b == 0 || b.log() == 0 {
		return int64(b.size())
	}
	return int64(b.size()) + 1<<b.log()
}

// Make writes the stream as a tape of at most so many bytes into a file. After an
// error the file is of no use.
func Make(path string, r *stream.Reader, most int64) (Made, error) {
	f, err := os.Create(path)
	if err != nil {
		return Made{}, err
	}
	m := &maker{out: bufio.NewWriter(io.NewOffsetWriter(f, headerSize)), most: (most - headerSize) / stepSize}
	err = errors.Join(m.write(f, r), f.Close())
	m.made.Counts, m.made.Size = r.Counts(), headerSize+m.count*stepSize
	return m.made, err
}

// write writes all of the tape. What the header says is known last.
func (m *maker) write(f *os.File, r *stream.Reader) error {
	body, err := m.playAll(r)
	if err != nil {
		return err
	}
	m.dropAll()
	if err := errors.Join(m.err, m.out.Flush()); err != nil {
		return err
	}
	_, err = f.WriteAt(header(r.Counts().Slots, body, m.count), 0)
	return err
}

func header(slots, body, steps int64) []byte {
	b := []byte(magic)
	for _, n := range []int64{slots, body, steps} {
		b = binary.NativeEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// playAll writes the events and returns how many steps they were. Each live block
// takes another step in the end.
func (m *maker) playAll(r *stream.Reader) (steps int64, err error) {
	for m.err == nil {
		e, err := r.Next()
		if err == io.EOF {
			return m.count, nil
		}
		if err != nil {
			return 0, err
		}
		m.play(e)
		c := r.Counts()
		if m.made.Asked > MostAsked {
			return 0, fmt.Errorf("its event %d goes beyond the %d GiB that a stream may ask for in all", c.Events(), int64(MostAsked>>30))
		}
		if m.count+int64(m.held) > m.most {
			return 0, fmt.Errorf("%w: after %d events", ErrLong, c.Events())
		}
	}
	return 0, m.err
}

func (m *maker) play(e stream.Event) {
	switch e.Kind {
	case stream.Alloc:
		log := uint8(0)
		if e.Align != 0 {
			log = uint8(bits.TrailingZeros(uint(e.Align)))
		}
		m.enter(e, log)
		m.step(withAlign(Alloc, Aligned, log), log, e.Slot, e.N, 0)
	case stream.Zeroed:
		m.enter(e, 0)
		m.step(Zeroed, 0, e.Slot, e.N, 0)
	case stream.Realloc:
		log := m.at(e.Slot).log()
		m.put(e, log)
		m.step(withAlign(Realloc, ReallocAligned, log), log, e.Slot, e.N, e.Old)
	case stream.Free:
		log := m.at(e.Slot).log()
		m.take(e.Slot)
		m.step(withAlign(Free, FreeAligned, log), log, e.Slot, 0, e.Old)
	case stream.Reset:
		m.step(Reset, 0, 0, m.held, 0)
		m.dropAll()
	}
}

// withAlign returns the kind for blocks of that alignment.
func withAlign(plain, aligned Kind, log uint8) Kind {
	if log != 0 {
		return aligned
	}
	return plain
}

// at returns what is noted of a slot.
func (m *maker) at(slot int) *block { return &m.live[slot/pageSlots][slot%pageSlots] }

// enter notes a new block.
func (m *maker) enter(e stream.Event, log uint8) {
	if e.Slot == len(m.live)*pageSlots {
		m.live = append(m.live, new([pageSlots]block))
	}
	m.used = max(m.used, e.Slot+1)
	m.held++
	m.put(e, log)
}

// put notes a size of a block. A number that could overflow the sum is beyond the
// limit by itself.
func (m *maker) put(e stream.Event, log uint8) {
	old, now := m.at(e.Slot), newBlock(e.N, log)
	m.bytes += now.padded() - old.padded()
	*old = now
	m.made.Padded = max(m.made.Padded, m.bytes)
	m.made.Asked += min(int64(e.N), MostAsked+1) + min(now.padded()-int64(now.size()), MostAsked+1)
}

// take notes that a block is gone.
func (m *maker) take(slot int) {
	b := m.at(slot)
	m.bytes -= b.padded()
	m.held--
	*b = 0
}

// dropAll writes a drop for each live block. Slots are given out from 0 again, and
// a further reset costs what was live since this one only.
func (m *maker) dropAll() {
	for slot := range m.used {
		if b := *m.at(slot); b != 0 {
			m.take(slot)
			m.step(withAlign(Drop, DropAligned, b.log()), b.log(), slot, 0, b.size())
		}
	}
	m.used = 0
}

// step writes one step.
func (m *maker) step(kind Kind, log uint8, slot, n, old int) {
	m.count++
	b := m.buf[:]
	b[0], b[1] = byte(kind), log
	binary.NativeEndian.PutUint32(b[4:], uint32(slot))
	binary.NativeEndian.PutUint64(b[8:], uint64(n))
	binary.NativeEndian.PutUint64(b[16:], uint64(old))
	if _, err := m.out.Write(b); err != nil {
		m.err = err
	}
}
