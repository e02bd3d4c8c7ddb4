package model

import (
	"fmt"
	"slices"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/memctx"
)

// maxMany bounds the blocks of one call.
const maxMany = 8

// perBlock is more than a block costs beside its bytes, in any mode.
const perBlock = 96

// allocMany makes several blocks at once.
func (m *Model) allocMany(op Op) error {
	ptrs := repeat(memctx.Addr(0).Pointer(), 1+int(op.Arg)%maxMany)
	if err := m.mc.AllocMany(ptrs, op.N); err != nil {
		if n := others(ptrs, nil); n != 0 {
			return fmt.Errorf("%d blocks are left of a call that failed", n)
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
	ptrs := repeat(memctx.Addr(0).Pointer(), 0)
	for i := to - 1; i >= from; i-- {
		b := m.blocks[i]
		if err := m.intact(&b, b.n); err != nil {
			return err
		}
		ptrs = append(ptrs, b.addr.Pointer())
		m.drop(i)
	}
	m.mc.FreeMany(ptrs)
	if n := others(ptrs, nil); n != 0 {
		return fmt.Errorf("%d of %d pointers are left", n, len(ptrs))
	}
	return nil
}

// repeat returns n values, of a type that need not be named.
func repeat[T any](value T, n int) []T { return slices.Repeat([]T{value}, n) }

// others returns how many values are not the given one.
func others[T comparable](values []T, value T) (n int) {
	for _, v := range values {
		if v != value {
			n++
		}
	}
	return n
}
