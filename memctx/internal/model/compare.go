package model

import (
	"errors"
	"fmt"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/memctx"
)

// Compare compares everything that can be seen of the context with the model.
func (m *Model) Compare() error {
	m.checks++
	if err := m.mc.Check(); err != nil {
		return err
	}
	return errors.Join(m.compareBlocks(), m.compareContents(), m.compareStats(), m.compareBooks(),
		m.told.compare(len(m.blocks), m.mc.Footprint()))
}

// compareBlocks compares the blocks that the context lists.
func (m *Model) compareBlocks() error {
	i := 0
	for got := range m.mc.Blocks() {
		j, found := m.search(memctx.Addr(got.Addr))
		if !found {
			return fmt.Errorf("the context lists a block at %#x that is not live", got.Addr)
		}
		want := &m.blocks[j]
		exact := m.exact || want.align > chunk.Align
		if got.Exact != exact || got.Align != want.align || got.Size < want.n || exact && got.Size != want.n {
			return fmt.Errorf("the context lists %+v, want %d bytes aligned to %d", got, want.n, want.align)
		}
		i++
	}
	if i != len(m.blocks) {
		return fmt.Errorf("the context lists %d blocks, live are %d", i, len(m.blocks))
	}
	return nil
}

// compareContents compares what is in the blocks, up to Config.Contents bytes of it,
// and goes on from there the next time.
func (m *Model) compareContents() error {
	rest := m.config.Contents
	for range m.blocks {
		m.looked = (m.looked + 1) % len(m.blocks)
		b := &m.blocks[m.looked]
		if err := m.intact(b, b.n); err != nil {
			return err
		}
		if rest -= b.n; rest <= 0 && m.config.Contents > 0 {
			break
		}
	}
	return nil
}

func (m *Model) compareStats() error {
	s := m.mc.Stats()
	sum := s.InUse + s.Cached + s.Free + s.Top + s.Reserve + s.Overhead + s.Unreleased
	switch {
	case s.Footprint != sum || s.Overhead < 0 || s.Footprint != m.mc.Footprint() || s.PeakFootprint < s.Footprint:
		return fmt.Errorf("sizes do not add up: %+v", s)
	case s.Blocks != uint(len(m.blocks)) || s.Allocs-s.Frees != s.Blocks:
		return fmt.Errorf("counts do not add up to %d blocks: %+v", len(m.blocks), s)
	case s.InUse < m.bytes+len(m.blocks)*chunk.Header:
		return fmt.Errorf("%d blocks of %d bytes do not fit: %+v", len(m.blocks), m.bytes, s)
	}
	return nil
}

// compareBooks compares the footprint with what the books beneath say.
func (m *Model) compareBooks() error {
	if err := m.books.Err(); err != nil {
		return err
	}
	if _, bytes := m.books.Out(); bytes != m.mc.Footprint() {
		return fmt.Errorf("the context holds %d bytes and believes in %d", bytes, m.mc.Footprint())
	}
	return nil
}

// Close compares everything once more, all contents included, and closes the context,
// which must give back every segment, again and again if the provider refuses.
func (m *Model) Close() error {
	m.config.Contents = 0
	if err := m.Compare(); err != nil {
		return fmt.Errorf("before Close: %w", err)
	}
	if err := m.closeRetrying(); err != nil {
		return err
	}
	if n, bytes := m.books.Out(); n != 0 || m.mc.Footprint() != 0 {
		return fmt.Errorf("after Close %d segments of %d bytes are held, the footprint is %d", n, bytes, m.mc.Footprint())
	}
	if err := m.told.compare(0, 0); err != nil {
		return fmt.Errorf("after Close: %w", err)
	}
	if _, err := m.mc.Alloc(1); !errors.Is(err, memctx.ErrClosed) {
		return fmt.Errorf("an Alloc after Close returned %v", err)
	}
	return m.books.Err()
}

// closeRetrying calls Close until it succeeds, and requires that it fails only
// when the provider does.
func (m *Model) closeRetrying() error {
	for tries := 0; ; tries++ {
		m.faults.tripped = false
		err := m.mc.Close()
		m.config.Tally["Close"]++
		if err != nil {
			m.config.Tally["Close in part"]++
		}
		switch {
		case err == nil && m.faults.tripped:
			return errors.New("the provider refused, and Close reports nothing")
		case err == nil:
			return nil
		case !m.faults.tripped && (m.config.Heal == nil || tries > 0):
			return fmt.Errorf("closing: %w", err)
		case !m.faults.tripped:
			m.config.Heal()
		}
	}
}
