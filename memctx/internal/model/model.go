package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// Config says what to run.
type Config struct {
	Options   memctx.Options // of the context; Provider is the source beneath the books, nil is segment.Heap
	Scarce    bool           // the provider may fail by itself
	Heal      func()         // ends the failures of a scarce provider, when Close has met one; may be nil
	MinBlocks int            // live blocks, below which frees become allocations
	MaxBlocks int            // live blocks, above which allocations become frees; 0 is 1,000
	MaxBytes  int            // live bytes, likewise; 0 is 16 MiB
	Every     int            // operations from one full comparison to the next; 0 is never
	Contents  int            // bytes of the blocks to look at in a comparison; 0 is all. Free looks at its block anyway
	Tally     Tally          // counts what happens; may be nil
}

// block is what the model knows of a live block.
type block struct {
	addr  memctx.Addr
	n     int // bytes asked for
	align int // asked for, at least chunk.Align
	at    int // where in the pattern its contents begin
}

func (b *block) bytes() []byte { return b.addr.Bytes(b.n) }

// Model is a context and what it should be.
type Model struct {
	config Config
	exact  bool
	mc     *memctx.Context
	books  *segtest.Ledger
	faults *faults
	told   *audience // nil if there is no observer
	blocks []block   // by address
	bytes  int       // asked for in all blocks
	place  int       // in the pattern, of the contents of the last block made
	looked int       // index of the last block whose contents were compared
	doing  Kind      // the present operation
	most   int       // the largest footprint since TakeMost
	steps  int
	checks int
}

// New returns a model beside a new context.
func New(c Config) (*Model, error) {
	if c.MaxBlocks == 0 {
		c.MaxBlocks = 1000
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 16 << 20
	}
	if c.Tally == nil {
		c.Tally = Tally{}
	}
	m := &Model{config: c, exact: c.Options.ExactSize || c.Options.Guard || c.Options.Checked || c.Options.Stacks}
	m.faults = &faults{up: c.Options.Provider, tally: c.Tally}
	if m.faults.up == nil {
		m.faults.up = segment.Heap()
	}
	m.books = segtest.NewLedger(m.faults)
	options := c.Options
	if options.Observer != nil {
		m.told = &audience{next: options.Observer}
		options.Observer = m.told
	}
	options.Provider = draining{m.books, m.faults}
	var err error
	m.mc, err = memctx.New(&options)
	return m, err
}

// draining is a ledger that passes Drain on, which is no matter of ownership.
type draining struct {
	*segtest.Ledger
	below *faults
}

func (d draining) Drain() error { return d.below.Drain() }

// Steps returns the number of operations applied.
func (m *Model) Steps() int { return m.steps }

// Checks returns the number of full comparisons.
func (m *Model) Checks() int { return m.checks }

// TakeMost returns the largest footprint that an operation has left since it was
// called before.
func (m *Model) TakeMost() int {
	most := m.most
	m.most = m.mc.Footprint()
	return most
}

// Apply lets the context do one operation and returns how it differs from what
// the model does, a fault of the context included.
func (m *Model) Apply(op Op) (err error) {
	defer func() {
		if err == nil {
			return
		}
		err = fmt.Errorf("step %d, %v: %w", m.steps, op, err)
	}()
	m.steps++
	before := m.mc.Footprint()
	if err := m.protected(op); err != nil {
		return err
	}
	if err := m.limited(before); err != nil {
		return err
	}
	if m.config.Every > 0 && m.steps%m.config.Every == 0 {
		return m.Compare()
	}
	return nil
}

// limited checks that the footprint, which was before, has not grown beyond the
// limit. A segment that turned out larger than asked for, and that the provider
// refused to take back, is owned all the same.
func (m *Model) limited(before int) error {
	after := m.mc.Footprint()
	m.most = max(m.most, after)
	if after > before && after > m.mc.Limit() && m.mc.Stats().Unreleased == 0 {
		return fmt.Errorf("footprint grew from %d to %d at a limit of %d", before, after, m.mc.Limit())
	}
	return nil
}

// protected is do with faults as errors.
func (m *Model) protected(op Op) (err error) {
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*diag.Fault)
			if !ok {
				panic(r)
			}
			err = fault
		}
	}()
	return m.do(op)
}

func (m *Model) do(op Op) error {
	if op.Kind == AllocMany && (len(m.blocks) >= m.config.MaxBlocks || m.bytes+maxMany*op.N > m.config.MaxBytes) {
		op.Kind = FreeMany
	}
	if op.Kind <= CloneBytes && (len(m.blocks) >= m.config.MaxBlocks || m.bytes+op.N > m.config.MaxBytes) {
		op.Kind = Free
	}
	if op.Kind == Realloc && m.bytes+op.N > m.config.MaxBytes {
		op.N = 10
	}
	if op.Kind >= Free && op.Kind <= FreeBytes && len(m.blocks) < m.config.MinBlocks && m.bytes+op.N < m.config.MaxBytes ||
		op.Kind >= Realloc && op.Kind <= FreeBytes && len(m.blocks) == 0 {
		op.Kind = Alloc
	}
	if op.Kind == FreeMany && len(m.blocks) <= m.config.MinBlocks {
		op.Kind = Alloc
	}
	m.doing = op.Kind
	m.config.Tally[op.Kind.String()]++
	switch op.Kind {
	case Realloc, TryResize:
		return m.resize(op)
	case Free, FreeSized, FreeBytes:
		return m.free(op)
	case AllocMany:
		return m.allocMany(op)
	case FreeMany:
		return m.freeMany(op)
	case Impossible:
		return m.impossible(op)
	case Trim, Reset:
		return m.sweep(op)
	case SetLimit:
		m.setLimit(op)
		return nil
	case Fail:
		m.faults.arm(int(op.Arg%8), 1+int(op.Arg/8%4))
		return nil
	}
	return m.alloc(op)
}

// index returns the block that op is about.
func (m *Model) index(op Op) int { return int(op.Index) % len(m.blocks) }

// add puts a block that the context returned into the model, in which it must
// not overlap any other.
func (m *Model) add(b block) error {
	i, found := m.search(b.addr)
	if found || i > 0 && m.blocks[i-1].end() > b.addr || i < len(m.blocks) && b.end() > m.blocks[i].addr {
		return fmt.Errorf("%d bytes at %#x overlap another block", b.n, b.addr)
	}
	m.blocks = slices.Insert(m.blocks, i, b)
	m.bytes += b.n
	return nil
}

// search returns the index of the block at an address, or where it would be.
func (m *Model) search(a memctx.Addr) (int, bool) {
	return slices.BinarySearchFunc(m.blocks, a, func(b block, a memctx.Addr) int { return cmp.Compare(b.addr, a) })
}

// end returns the first address behind the block, which holds one byte at least:
// addresses are unique.
func (b *block) end() memctx.Addr { return b.addr + memctx.Addr(max(b.n, 1)) }

func (m *Model) drop(i int) {
	m.bytes -= m.blocks[i].n
	m.blocks = slices.Delete(m.blocks, i, i+1)
}

// nextContents returns the place in the pattern for the next block.
func (m *Model) nextContents() int {
	m.place = (m.place + 7919) % len(pattern)
	return m.place
}

// fits checks alignment and size of a block just handed out or resized, and
// writes its contents.
func (m *Model) fits(b *block) error {
	if uintptr(b.addr)%uintptr(b.align) != 0 {
		return fmt.Errorf("block at %#x is not aligned to %d", b.addr, b.align)
	}
	usable := m.mc.UsableSize(b.addr.Pointer())
	if usable < b.n || usable != b.n && (m.exact || b.align > chunk.Align) {
		return fmt.Errorf("usable are %d bytes of %d", usable, b.n)
	}
	b.at = m.nextContents()
	fill(b.bytes(), b.at)
	return nil
}

// refused judges the error of a call that could not be served: there must be a
// reason for it, and nothing may have changed.
func (m *Model) refused(err error, n, align int) error {
	scarce := m.faults.tripped || m.config.Scarce
	m.faults.tripped = false
	if errors.Is(err, memctx.ErrLimit) {
		m.config.Tally[m.doing.String()+" over the limit"]++
	} else {
		m.config.Tally[m.doing.String()+" without memory"]++
	}
	switch {
	case errors.Is(err, memctx.ErrNoMemory):
		if !scarce {
			return fmt.Errorf("refused without a reason: %w", err)
		}
	case !errors.Is(err, memctx.ErrLimit) || m.mc.Limit() == memctx.NoLimit && !scarce:
		return fmt.Errorf("refused with the wrong error: %w", err)
	}
	if err := m.Compare(); err != nil {
		return fmt.Errorf("after a refusal: %w", err)
	}
	if scarce && !m.config.Scarce {
		return nil
	}
	if align > chunk.Align {
		n += align
	}
	if errors.Is(err, memctx.ErrNoMemory) {
		return nil // the free memory may be reserved only
	}
	if s := m.mc.Stats(); s.LargestFree > n+n/8+256 {
		return fmt.Errorf("%d bytes refused while %d are free in one piece: %w", n, s.LargestFree, err)
	}
	return nil
}
