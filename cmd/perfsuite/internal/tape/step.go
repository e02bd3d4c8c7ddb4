package tape

// Kind says what to do in a step.
type Kind uint8

// The kinds of steps. Those about aligned blocks are kinds of their own, because
// not every heap tells such blocks from others by itself. native/tape.h has the
// same list.
const (
	Alloc Kind = iota
	Zeroed
	Aligned
	Realloc
	ReallocAligned
	Free
	FreeAligned
	Reset
	Drop        // what was live at a reset or at the end
	DropAligned //
)

// Step is one request.
type Step struct {
	Kind Kind
	Log  uint8 // log2 of the alignment, of the aligned kinds
	_    [2]byte
	Slot uint32
	N    uint64 // bytes asked for; of Reset how many drops follow
	Old  uint64 // bytes that the block had
}

// Align returns the alignment of an aligned step in bytes.
func (s *Step) Align() int { return 1 << s.Log }

const (
	magic      = "CKMTAPE1"
	headerSize = 32
	stepSize   = 24
)
