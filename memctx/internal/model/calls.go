package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/memctx"
)

// maxAlignLog bounds the alignments asked for: 16 KiB.
const maxAlignLog = 14

// alloc makes a block in one of five ways.
func (m *Model) alloc(op Op) error {
	if op.Kind == AllocZeroed {
		op.N -= op.N % (1 + int(op.Arg%5))
	}
	b := block{n: op.N, align: chunk.Align}
	asked := 0
	if op.Kind == AllocAligned {
		asked = 1 << (op.Arg % (maxAlignLog + 1))
		b.align = max(b.align, asked)
	}
	var slice []byte
	var err error
	b.addr, slice, err = m.request(op, asked)
	if err != nil {
		return m.refused(err, op.N, asked)
	}
	if err := m.add(b); err != nil {
		return err
	}
	return m.born(op, m.find(b.addr), slice)
}

// request makes the call and returns the block's address, and the slice if the
// call returns one.
func (m *Model) request(op Op, align int) (memctx.Addr, []byte, error) {
	switch op.Kind {
	case AllocZeroed:
		count := 1 + int(op.Arg%5)
		p, err := m.mc.AllocZeroed(count, op.N/count)
		return memctx.AddrOf(p), nil, err
	case AllocAligned:
		p, err := m.mc.AllocAligned(op.N, align)
		return memctx.AddrOf(p), nil, err
	case Bytes:
		b, err := m.mc.Bytes(op.N)
		return memctx.Addr(raw.SliceAddr(b)), b, err
	case CloneBytes:
		source := make([]byte, op.N)
		fill(source, 0)
		b, err := m.mc.CloneBytes(source)
		return memctx.Addr(raw.SliceAddr(b)), b, err
	}
	p, err := m.mc.Alloc(op.N)
	return memctx.AddrOf(p), nil, err
}

// born checks what the new block b holds, and that it fits.
func (m *Model) born(op Op, b *block, slice []byte) error {
	switch {
	case slice != nil && (len(slice) != op.N || cap(slice) != op.N):
		return fmt.Errorf("length and capacity are %d and %d", len(slice), cap(slice))
	case (op.Kind == AllocZeroed || op.Kind == Bytes) && !isZero(b.bytes()):
		return errors.New("the block is not zero")
	case op.Kind == CloneBytes && differs(slice, 0) >= 0:
		return errors.New("the clone differs from its source")
	}
	return m.fits(b)
}

// find returns the live block at an address.
func (m *Model) find(a memctx.Addr) *block {
	i, _ := m.search(a)
	return &m.blocks[i]
}

// resize changes a block's size, in place or not.
func (m *Model) resize(op Op) error {
	i := m.index(op)
	b := m.blocks[i]
	moved := b.addr
	if op.Kind == TryResize {
		if !m.mc.TryResize(b.addr.Pointer(), op.N) {
			m.config.Tally["TryResize in vain"]++
			return m.intact(&b, b.n)
		}
	} else {
		p, err := m.mc.Realloc(b.addr.Pointer(), op.N)
		if err != nil {
			return m.refused(err, op.N, b.align)
		}
		moved = memctx.AddrOf(p)
		if moved != b.addr {
			m.config.Tally["Realloc moves"]++
		}
	}
	m.drop(i)
	kept := min(b.n, op.N)
	b.addr, b.n = moved, op.N
	if err := m.intact(&b, kept); err != nil {
		return err
	}
	if err := m.add(b); err != nil {
		return err
	}
	return m.fits(m.find(b.addr))
}

// intact checks that the first n bytes of b are what was written.
func (m *Model) intact(b *block, n int) error {
	if i := differs(b.addr.Bytes(n), b.at); i >= 0 {
		return fmt.Errorf("byte %d of %d at %#x is not what was written", i, n, b.addr)
	}
	return nil
}

// free gives a block back in one of three ways.
func (m *Model) free(op Op) error {
	i := m.index(op)
	b := m.blocks[i]
	if err := m.intact(&b, b.n); err != nil {
		return err
	}
	switch op.Kind {
	case FreeSized:
		m.mc.FreeSized(b.addr.Pointer(), b.n, b.align)
	case FreeBytes:
		m.mc.FreeBytes(b.addr.Bytes(b.n))
	default:
		m.mc.Free(b.addr.Pointer())
	}
	m.drop(i)
	return nil
}

// impossible asks for what no heap could have, and requires the right error.
func (m *Model) impossible(op Op) error {
	far := math.MaxInt - int(op.Arg)
	want, err := memctx.ErrSize, error(nil)
	switch op.Index % 7 {
	case 0:
		_, err = m.mc.Alloc(far)
	case 1:
		_, err = m.mc.Alloc(-1 - op.N)
	case 2:
		_, err = m.mc.AllocZeroed(far/2+int(op.Arg)+1, 2)
	case 3:
		_, err = m.mc.AllocAligned(far, 64)
	case 4:
		_, err = m.mc.AllocAligned(op.N, 3*(int(op.Arg)+1))
		want = memctx.ErrAlign
	case 5:
		_, err = m.mc.AllocAligned(op.N, -int(op.Arg))
		want = memctx.ErrAlign
	case 6:
		if len(m.blocks) > 0 {
			_, err = m.mc.Realloc(m.blocks[0].addr.Pointer(), far)
		} else {
			_, err = m.mc.Realloc(nil, far)
		}
	}
	if !errors.Is(err, want) {
		return fmt.Errorf("the error is %v, want %v", err, want)
	}
	return nil
}

// sweep trims or resets the context.
func (m *Model) sweep(op Op) error {
	var err error
	if op.Kind == Trim {
		err = m.mc.Trim()
	} else {
		err = m.mc.Reset()
		m.blocks, m.bytes = m.blocks[:0], 0
	}
	if err != nil && !m.faults.tripped && !m.config.Scarce {
		return fmt.Errorf("failed without a reason: %w", err)
	}
	if err != nil {
		m.config.Tally[op.Kind.String()+" in part"]++
	}
	m.faults.tripped = false
	return m.Compare()
}

// setLimit sets a limit around the present footprint, or none.
func (m *Model) setLimit(op Op) {
	footprint := m.mc.Footprint()
	limits := [...]int{0, 1, footprint / 2, footprint, footprint + op.N}
	limit := memctx.NoLimit
	if i := int(op.Arg); i < len(limits)*24 {
		limit = limits[i%len(limits)]
	}
	if limit < footprint {
		m.config.Tally["SetLimit below use"]++
	}
	m.mc.SetLimit(limit)
}
