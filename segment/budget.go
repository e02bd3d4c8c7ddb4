package segment

import (
	"errors"
	"math"
	"sync"
)

// Budget caps what many contexts hold together. It passes calls on to its
// upstream and charges what that really returned:
//
//	tenants := segment.NewBudget("tenants", segment.Default(), 1<<30)
//	acme := tenants.Child("acme", 64<<20)
//	mc, err := memctx.New(&memctx.Options{Provider: acme})
//
// A child's segments are charged to it and to every budget above it, and each of
// them can refuse. A refusal is a [*LimitError] that names the budget whose limit
// it was, and costs nothing.
//
// Room is promised before the upstream is asked, and as much as it tells that it may
// give: see [Sizer]. So neither Used nor what the upstream has handed out ever exceeds
// the limit, not even between two calls of other goroutines. An upstream that gives
// more than it has told is asked again for less if that is too much; what it
// gave goes back at once. A request that fits except for a promise that may come
// to less waits for the call that has it.
//
// All methods may be called by any goroutine. A segment must be released to the
// budget that it was acquired from.
type Budget struct {
	name   string
	up     Provider
	parent *Budget     // nil for the root
	tree   *budgetTree // has the lock for all that follows

	limit, largest int
	used, peak     int
	promised       int // to calls that are asking the upstream
	marks          []*watermark
}

// budgetTree is what a budget shares with all above and below it. One lock for
// them makes a charge to several budgets one step; it is taken once per segment
// and not held while the upstream works.
type budgetTree struct {
	mu      sync.Mutex
	settled sync.Cond // a promise was settled
	stuck   []stuckSegment
}

// stuckSegment was too large and refused by the upstream when it went back. It
// stays charged until it is taken.
type stuckSegment struct {
	Segment
	budget *Budget
}

// largestUnit is the largest unit of which a source makes its sizes multiples.
const largestUnit = 64 << 10

// NewBudget returns a budget of max bytes over up. The name stands in errors. A
// max of 0 or less is a budget of nothing; [math.MaxInt] is no limit.
func NewBudget(name string, up Provider, max int) *Budget {
	b := &Budget{name: name, up: up, tree: &budgetTree{}, limit: larger(max, 0), largest: math.MaxInt}
	b.tree.settled.L = &b.tree.mu
	return b
}

// Child returns a new budget of max bytes within b. It lives as long as it is
// used: b does not know it.
func (b *Budget) Child(name string, max int) *Budget {
	return &Budget{name: name, up: b.up, parent: b, tree: b.tree, limit: larger(max, 0), largest: math.MaxInt}
}

// Name returns the name that errors bear.
func (b *Budget) Name() string { return b.name }

// Limit returns the bytes that may be out at once.
func (b *Budget) Limit() int { b.tree.mu.Lock(); defer b.tree.mu.Unlock(); return b.limit }

// Used returns the bytes that are out, those of children included.
func (b *Budget) Used() int { b.tree.mu.Lock(); defer b.tree.mu.Unlock(); return b.used }

// Peak returns the largest value that Used has had.
func (b *Budget) Peak() int { b.tree.mu.Lock(); defer b.tree.mu.Unlock(); return b.peak }

// SetLimit changes the limit; a negative one is 0. What is out beyond it stays
// out, and nothing more is handed out until enough came back. A call that is
// asking the upstream meanwhile may still complete within the former limit.
func (b *Budget) SetLimit(max int) {
	b.tree.mu.Lock()
	defer b.tree.mu.Unlock()
	b.limit = larger(max, 0)
}

// SetLargest vetoes single requests that need more than n bytes, of this budget
// and of its children. A context needs for a large block about a hundred bytes
// more than the block has; smaller blocks share a segment and are not vetoed.
// [math.MaxInt], which is the beginning, vetoes nothing.
func (b *Budget) SetLargest(n int) {
	b.tree.mu.Lock()
	defer b.tree.mu.Unlock()
	b.largest = larger(n, 0)
}

// Acquire implements [Provider].
func (b *Budget) Acquire(min, max int) (Segment, error) {
	if min <= 0 || max < min {
		return Segment{}, noMemory("budget", min, max, nil)
	}
	s, less, err := b.acquire(min, max)
	if less > min {
		s, _, err = b.acquire(less, less)
	}
	if less > min && err != nil {
		s, _, err = b.acquire(min, min)
	}
	return s, err
}

// acquire is Acquire without a second attempt. If the upstream gave too much, or was
// asked for more than the need and nothing else and does not have it, less is what
// to ask it for instead.
func (b *Budget) acquire(min, max int) (s Segment, less int, err error) {
	a, err := b.promiseAsk(min, max)
	if err != nil {
		return Segment{}, 0, err
	}
	defer func() { // also if the upstream panics
		if refusal := b.settle(a.most, s.Size); refusal != nil {
			b.giveBack(s)
			s, less, err = Segment{}, a.max, refusal
		}
	}()
	if s, err = b.up.Acquire(a.min, a.max); err != nil && a.min > min {
		less = a.max
	}
	return s, less, err
}

// Release implements [Provider].
func (b *Budget) Release(s Segment) error {
	if err := b.up.Release(s); err != nil {
		return err
	}
	b.charge(-s.Size)
	_ = b.tree.retry() // what is refused again stays charged
	return nil
}

// Resize implements [Resizer]. What a segment grows by is charged. Growth that
// would leave less than 64 KiB may be refused though it would fit: a result that
// turned out too large could not be undone.
func (b *Budget) Resize(s Segment, min, max int, fixed bool) (r Segment, err error) {
	need, ok := roundUp(larger(min, 1), largestUnit)
	if min <= 0 || max < min || !ok {
		return s, &failure{"budget", "resize", min, max, ErrNoMemory, nil}
	}
	granted := 0
	if max > s.Size {
		least, most := larger(need-s.Size, 0), larger(need, max)-s.Size
		granted, err = b.promise(min, least, least, func(left int) (int, bool) {
			return larger(smaller(left, most), 0), left >= least
		})
		if err != nil {
			return s, err
		}
		max = smaller(max, s.Size+granted)
	}
	r = s
	defer func() { _ = b.settle(granted, r.Size-s.Size) }()
	return Resize(b.up, s, min, max, fixed)
}

// Discard implements [Discarder].
func (b *Budget) Discard(s Segment, off, n int) error { return Discard(b.up, s, off, n) }

// Commit implements [Committer].
func (b *Budget) Commit(s Segment, off, n int) error { return Commit(b.up, s, off, n) }

// NeedsCommit implements [NeedsCommitter].
func (b *Budget) NeedsCommit() bool { _, ok := CommitterOf(b.up); return ok }

// Drain implements [Drainer].
func (b *Budget) Drain() error { return errors.Join(b.tree.retry(), Drain(b.up)) }
