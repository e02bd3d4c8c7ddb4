package segtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// Ledger writes down who owns what. It notices callers that release what they
// do not own or not as they got it, and upstreams that hand out what is out.
type Ledger struct {
	forward
	mu  sync.Mutex
	out map[raw.Addr]int // sizes, by base
	err error            // the first irregularity
}

// NewLedger returns an empty ledger over up.
func NewLedger(up segment.Provider) *Ledger {
	return &Ledger{forward: forward{up}, out: map[raw.Addr]int{}}
}

// Err returns the first irregularity, or nil.
func (l *Ledger) Err() error { l.mu.Lock(); defer l.mu.Unlock(); return l.err }

// Out returns the number of segments and the bytes that have not been released.
func (l *Ledger) Out() (segments, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.out {
		bytes += n
	}
	return len(l.out), bytes
}

// Settled fails t if something was not released, or not rightly so.
func (l *Ledger) Settled(t testing.TB) {
	t.Helper()
	if n, bytes := l.Out(); n != 0 {
		t.Errorf("%d segments of %d bytes were not released", n, bytes)
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
}

// Acquire implements segment.Provider.
func (l *Ledger) Acquire(min, max int) (segment.Segment, error) {
	s, err := l.up.Acquire(min, max)
	if err == nil {
		l.enter(s, "acquire", min)
	}
	return s, err
}

// Release implements segment.Provider. A segment that is not out does not reach
// the upstream.
func (l *Ledger) Release(s segment.Segment) error {
	if err := l.strike(s, "release"); err != nil {
		return err
	}
	err := l.up.Release(s)
	if err != nil {
		l.enter(s, "release", s.Size)
	}
	return err
}

// ReleaseMany implements segment.ManyReleaser. Segments that are not out do not reach
// the upstream.
func (l *Ledger) ReleaseMany(ss []segment.Segment) ([]segment.Segment, error) {
	var errs []error
	unknown := 0
	for i, s := range ss {
		if err := l.strike(s, "release"); err != nil {
			errs = append(errs, err)
			ss[i], ss[unknown] = ss[unknown], s
			unknown++
		}
	}
	refused, err := segment.ReleaseMany(l.up, ss[unknown:])
	for _, s := range refused {
		l.enter(s, "release", s.Size)
	}
	return ss[:unknown+len(refused)], errors.Join(append(errs, err)...)
}

// Quarantine implements segment.Quarantiner: it is a release.
func (l *Ledger) Quarantine(s segment.Segment) error {
	if err := l.strike(s, "quarantine"); err != nil {
		return err
	}
	err := segment.Quarantine(l.up, s)
	if err != nil {
		l.enter(s, "quarantine", s.Size)
	}
	return err
}

// Resize implements segment.Resizer.
func (l *Ledger) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	if err := l.strike(s, "resize"); err != nil {
		return s, err
	}
	r, err := segment.Resize(l.up, s, min, max, fixed)
	if err != nil {
		min = s.Size
	}
	l.enter(r, "resize", min)
	return r, err
}

// Join implements segment.Joiner. Segments that are not out, or no neighbours, do not
// reach the upstream.
func (l *Ledger) Join(a, b segment.Segment) (segment.Segment, error) {
	if end := raw.AddrOf(a.Base) + raw.Addr(a.Size); end != raw.AddrOf(b.Base) {
		return a, l.irregular(b, "join", fmt.Sprintf("the other ends at %#x", end))
	}
	if err := l.strike(a, "join"); err != nil {
		return a, err
	}
	if err := l.strike(b, "join"); err != nil {
		l.enter(a, "join", a.Size)
		return a, err
	}
	s, err := segment.Join(l.up, a, b)
	if err != nil {
		l.enter(a, "join", a.Size)
		l.enter(b, "join", b.Size)
		return a, err
	}
	l.enter(s, "join", a.Size+b.Size)
	return s, nil
}

// Split implements segment.Joiner.
func (l *Ledger) Split(s segment.Segment, n int) (front, rest segment.Segment, err error) {
	if err := l.strike(s, "split"); err != nil {
		return s, segment.Segment{}, err
	}
	front, rest, err = segment.Split(l.up, s, n)
	if err != nil {
		l.enter(s, "split", s.Size)
		return front, rest, err
	}
	l.enter(front, "split", n)
	l.enter(rest, "split", s.Size-n)
	return front, rest, nil
}

// Discard implements segment.Discarder.
func (l *Ledger) Discard(s segment.Segment, off, n int) error {
	if err := l.look(s, "discard", off, n); err != nil {
		return err
	}
	return l.forward.Discard(s, off, n)
}

// Commit implements segment.Committer.
func (l *Ledger) Commit(s segment.Segment, off, n int) error {
	if err := l.look(s, "commit", off, n); err != nil {
		return err
	}
	return l.forward.Commit(s, off, n)
}

// enter writes down that s is out.
func (l *Ledger) enter(s segment.Segment, op string, min int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	base, size := raw.AddrOf(s.Base), raw.Addr(s.Size)
	if s.Size < min {
		l.note(op, s, "smaller than asked for")
	}
	for b, n := range l.out {
		if base < b+raw.Addr(n) && b < base+size {
			l.note(op, s, fmt.Sprintf("overlaps %d bytes at %#x", n, b))
		}
	}
	l.out[base] = s.Size
}

// strike takes s off the books. It does so before the upstream hears of it, as
// the same address may come back to another goroutine at once.
func (l *Ledger) strike(s segment.Segment, op string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	base := raw.AddrOf(s.Base)
	if n, ok := l.out[base]; !ok || n != s.Size {
		return l.note(op, s, fmt.Sprintf("%d bytes are out there", n))
	}
	delete(l.out, base)
	return nil
}

// look checks that the n bytes at off lie in a segment that is out.
func (l *Ledger) look(s segment.Segment, op string, off, n int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if size, ok := l.out[raw.AddrOf(s.Base)]; !ok || size != s.Size || off < 0 || n < 0 || off > size-n {
		return l.note(op, s, fmt.Sprintf("range %d+%d in %d bytes", off, n, size))
	}
	return nil
}

// irregular is note for a caller without the lock.
func (l *Ledger) irregular(s segment.Segment, op, what string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.note(op, s, what)
}

// note keeps an irregularity, if it is the first, and returns it.
func (l *Ledger) note(op string, s segment.Segment, what string) error {
	err := fmt.Errorf("segtest: %s of %d bytes at %#x: %s: %w", op, s.Size, raw.AddrOf(s.Base), what, segment.ErrForeign)
	if l.err == nil {
		l.err = err
	}
	return err
}
