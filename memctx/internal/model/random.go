package model

import "math/rand/v2"

// phaseSteps is the number of operations after which another phase begins: heaps
// that grow, shrink and stay behave differently.
const phaseSteps = 800

// phase is a time in the life of a context.
type phase struct {
	lo, hi int  // bounds of the number of live blocks
	large  bool // most operations change the size of blocks, which are large
	resets bool // Reset is among the operations; else it is Trim
}

var phases = [...]phase{
	{lo: 0, hi: 8, resets: true},
	{lo: 0, hi: 60, resets: true},
	{lo: 300, hi: 400},
	{lo: 0, hi: 2000},
	{lo: 2000, hi: 2000},
	{lo: 0, hi: 6, large: true, resets: true},
}

// RunRandom applies n operations drawn from r.
func (m *Model) RunRandom(r *rand.Rand, n int) error {
	var p phase
	for i := range n {
		if i%phaseSteps == 0 {
			p = phases[r.IntN(len(phases))]
			m.config.MinBlocks, m.config.MaxBlocks = p.lo, p.hi
		}
		op := m.random(r, p.large)
		if op.Kind == Reset && !p.resets {
			op.Kind = Trim
		}
		if err := m.Apply(op); err != nil {
			return err
		}
	}
	return nil
}

// RunLarge applies n operations drawn from r, most of which change the size of
// blocks that are large.
func (m *Model) RunLarge(r *rand.Rand, n int) error {
	for range n {
		if err := m.Apply(m.random(r, true)); err != nil {
			return err
		}
	}
	return nil
}

// random draws an operation.
func (m *Model) random(r *rand.Rand, large bool) Op {
	if large {
		return m.randomLarge(r)
	}
	var b [OpBytes]byte
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return Decode(b[:])
}

// besides are the operations that go with changes of size.
var besides = [...]Kind{Alloc, Alloc, AllocAligned, AllocAligned, Free, Free, Trim, Reset, SetLimit, SetLimit, Fail, Fail}

// randomLarge draws one that changes the size of a block, most of the time. Too many
// blocks are freed first.
func (m *Model) randomLarge(r *rand.Rand) Op {
	op := Op{Kind: Realloc, Index: uint16(r.Uint32()), N: r.IntN(1 << (8 + r.IntN(12))), Arg: byte(r.Uint32())}
	switch r.IntN(8) {
	case 0:
		op.Kind = besides[r.IntN(len(besides))]
	case 1, 2:
		op.Kind = TryResize
	}
	if len(m.blocks) > m.config.MaxBlocks {
		op.Kind = Free
	}
	return op
}
