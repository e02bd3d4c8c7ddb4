package model

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/memctx"
)

// maxMany bounds the blocks of one call.
const maxMany = 8

// perBlock is more than a block costs beside its bytes, in any mode.
const perBlock = 96

// allocMany makes several blocks at once.
func (m *Model) allocMany(op Op) error {
	ptrs := make([]unsafe.Pointer, 1+int(op.Arg)%maxMany)
	if err := m.mc.AllocMany(ptrs, op.N); err != nil {
		if slices.ContainsFunc(ptrs, func(p unsafe.Pointer) bool { return p != nil }) {
			return errors.New("blocks are left of a call that failed")
		}
		return m.refused(err, len(ptrs)*(op.N+perBlock), chunk.Align)
	}
	for _, p := range ptrs {
		if err := m.add(block{addr: memctx.AddrOf(p), n: op.N, align: chunk.Align}); err != nil {
			return err
		}
	}
	for _, p := range ptrs {
		if err := m.fits(m.find(memctx.AddrOf(p))); err != nil {
			return err
		}
	}
	return nil
}

// freeMany frees blocks that follow each other, the last ones first.
func (m *Model) freeMany(op Op) error {
	from := m.index(op)
	to := min(from+1+int(op.Arg)%maxMany, len(m.blocks))
	var ptrs []unsafe.Pointer
	for i := to - 1; i >= from; i-- {
		b := m.blocks[i]
		if err := m.intact(&b, b.n); err != nil {
			return err
		}
		ptrs = append(ptrs, b.addr.Pointer())
		m.drop(i)
	}
	m.mc.FreeMany(ptrs)
	for i, p := range ptrs {
		if p != nil {
			return fmt.Errorf("pointer %d of %d is left", i, len(ptrs))
		}
	}
	return nil
}
