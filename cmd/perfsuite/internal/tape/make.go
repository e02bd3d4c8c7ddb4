package tape

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"

	"github.com/cookmem-go/cookmem/stream"
)

// maker writes the steps of a stream. It knows the live blocks, for the drops.
type maker struct {
	out   *bufio.Writer
	buf   [stepSize]byte
	live  []block // by slot
	count int64   // steps
	held  int     // live blocks
}

type block struct {
	size int
	log  uint8
	live bool
}

// Make writes the stream as a tape into a file.
func Make(path string, r *stream.Reader) (stream.Counts, error) {
	f, err := os.Create(path)
	if err != nil {
		return stream.Counts{}, err
	}
	m := &maker{out: bufio.NewWriter(io.NewOffsetWriter(f, headerSize))}
	body, err := m.playAll(r)
	m.dropAll()
	err = errors.Join(err, m.out.Flush())
	counts := r.Counts()
	_, failed := f.WriteAt(header(counts.Slots, body, m.count), 0)
	return counts, errors.Join(err, failed, f.Close())
}

func header(slots, body, steps int64) []byte {
	b := []byte(magic)
	for _, n := range []int64{slots, body, steps} {
		b = binary.NativeEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// playAll writes the events and returns how many steps they were.
func (m *maker) playAll(r *stream.Reader) (steps int64, err error) {
	for {
		e, err := r.Next()
		if err == io.EOF {
			return m.count, nil
		}
		if err != nil {
			return 0, err
		}
		m.play(e)
	}
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
		b := &m.live[e.Slot]
		b.size = e.N
		m.step(withAlign(Realloc, ReallocAligned, b.log), b.log, e.Slot, e.N, e.Old)
	case stream.Free:
		b := &m.live[e.Slot]
		b.live = false
		m.held--
		m.step(withAlign(Free, FreeAligned, b.log), b.log, e.Slot, 0, e.Old)
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

func (m *maker) enter(e stream.Event, log uint8) {
	if e.Slot == len(m.live) {
		m.live = append(m.live, block{})
	}
	m.live[e.Slot] = block{size: e.N, log: log, live: true}
	m.held++
}

// dropAll writes a drop for each live block.
func (m *maker) dropAll() {
	for slot := range m.live {
		if b := &m.live[slot]; b.live {
			b.live = false
			m.step(withAlign(Drop, DropAligned, b.log), b.log, slot, 0, b.size)
		}
	}
	m.held = 0
}

// step writes one step. An error of the file shows when it is flushed.
func (m *maker) step(kind Kind, log uint8, slot, n, old int) {
	m.count++
	b := m.buf[:]
	b[0], b[1] = byte(kind), log
	binary.NativeEndian.PutUint32(b[4:], uint32(slot))
	binary.NativeEndian.PutUint64(b[8:], uint64(n))
	binary.NativeEndian.PutUint64(b[16:], uint64(old))
	_, _ = m.out.Write(b)
}
