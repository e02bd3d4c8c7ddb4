package work

// Sizes in bytes of the blocks of a crowd.
const (
	CrowdLeast = 16
	CrowdMost  = 64
)

const (
	// leastFilled is how many blocks a turn allocates and frees at least, since
	// a few take too little time to be measured once.
	leastFilled = 1_000_000

	// LeastReplaced is how many blocks a turn replaces at least.
	LeastReplaced = 10_000_000

	// MostReplaced is how many blocks a turn replaces at most, which bounds its
	// time: among so many each costs several cache misses.
	MostReplaced = 100_000_000
)

// Crowd is a number of small blocks that live at a time, and what is done with
// them: in each round all are allocated, random ones are freed and allocated
// anew, with another size, and all are freed one by one.
type Crowd struct {
	Live    int `json:"live"`    // blocks; 0 in an order for something else
	Rounds  int `json:"rounds"`  // in one context
	Replace int `json:"replace"` // replacements in each round
}

// NewCrowd returns the crowd of so many blocks, of which there is at least one.
// Small crowds have more rounds, and large ones replace as many blocks as there
// are, within bounds.
func NewCrowd(live int) Crowd {
	rounds := max(1, leastFilled/live)
	return Crowd{live, rounds, min(max(live, LeastReplaced), MostReplaced) / rounds}
}

// Holder is one subject ready to hold a crowd. Like a [Runner] it belongs to one
// goroutine, is crossed a few times per round and panics where its heap fails.
type Holder interface {
	// Prepare makes the table of the blocks and, for a subject that works on
	// warm memory, that memory.
	Prepare()

	// Open starts the rounds on a new context, in subjects that have such, and
	// Close ends them when nothing is live.
	Open() error
	Close() error

	// Fill, Replace and Free are the three parts of a round.
	Fill()
	Replace()
	Free()

	// Sum returns a checksum over a sample of the blocks that are live.
	Sum() uint64

	// Forget makes the holder forget what Fill left instead of freeing it; Drop,
	// called after it instead of Close, gives all of it back in one piece.
	Forget()
	Drop() error

	// Counts returns the requests since Open.
	Counts() Counts

	// Peak is that of a Runner.
	Peak() (bytes int64, known bool)
}
