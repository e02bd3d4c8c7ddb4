//go:build unix || windows

package segment

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// readable reports whether the byte at a can be read.
//
//go:noinline
func readable(a raw.Addr) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	kept = raw.Load8(a)
	return true
}

var kept byte // keeps the read

// obtain acquires n bytes and writes to all pages of them.
func obtain(t *testing.T, p Provider, n int) Segment {
	t.Helper()
	s, err := p.Acquire(n, n)
	if err == nil {
		err = Commit(p, s, 0, s.Size)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw.Fill(raw.AddrOf(s.Base), uintptr(s.Size), 0xAB)
	return s
}

func mustQuarantine(t *testing.T, p Provider, s Segment) {
	t.Helper()
	if err := Quarantine(p, s); err != nil {
		t.Fatal(err)
	}
}

// inQuarantine reports whether neither end of s can be read.
func inQuarantine(s Segment) bool {
	a := raw.AddrOf(s.Base)
	return !readable(a) && !readable(a+raw.Addr(s.Size-1))
}

func TestQuarantineOfTheSystem(t *testing.T) {
	if err := Drain(OS()); err != nil {
		t.Fatal(err)
	}
	s := obtain(t, OS(), 256<<10)
	mustQuarantine(t, OS(), s)
	if !inQuarantine(s) || len(graves.held) != 1 || graves.bytes != s.Size {
		t.Fatalf("in quarantine: %t, %d segments of %d bytes", inQuarantine(s), len(graves.held), graves.bytes)
	}
	for range 2 * quarantineBytes / (4 << 20) {
		mustQuarantine(t, OS(), obtain(t, OS(), 4<<20))
		if graves.bytes > quarantineBytes {
			t.Fatalf("%d bytes are held", graves.bytes)
		}
	}
	if graves.held[0].Base == s.Base {
		t.Error("what came first has not gone first")
	}
	large := obtain(t, OS(), quarantineBytes+64<<10)
	mustQuarantine(t, OS(), large)
	for range 2 * quarantineSegments {
		mustQuarantine(t, OS(), obtain(t, OS(), 1))
	}
	if n := len(graves.held); n != quarantineSegments && graves.bytes < quarantineBytes/2 {
		t.Errorf("%d segments of %d bytes are held", n, graves.bytes)
	}
	if err := Drain(OS()); err != nil || len(graves.held) != 0 || graves.bytes != 0 {
		t.Errorf("Drain = %v, %d segments of %d bytes are held", err, len(graves.held), graves.bytes)
	}
	if err := Quarantine(OS(), Segment{}); !errors.Is(err, ErrForeign) {
		t.Errorf("Quarantine of nothing = %v", err)
	}
}

// pagesOf is a size that has whole pages in it wherever it begins.
func pagesOf(n int) int { return n * larger(pageSize, Granule) * 2 }

func TestQuarantineOfTheCache(t *testing.T) {
	counter := Counting(OS())
	c := NewCache(counter, 8<<20)
	size := pagesOf(8)
	s, other := obtain(t, c, size), obtain(t, c, size)
	mustQuarantine(t, c, s)
	if err := c.Check(); err != nil || c.Stats().Segments != 1 {
		t.Fatalf("Check = %v, %+v", err, c.Stats())
	}
	if !inQuarantine(s) || !readable(raw.AddrOf(other.Base)) || !readable(raw.AddrOf(other.Base)+raw.Addr(other.Size-1)) {
		t.Error("the wrong pages are in quarantine")
	}
	for _, call := range []func() error{func() error { return c.Release(s) }, func() error { return c.Quarantine(s) }} {
		if err := call(); !errors.Is(err, ErrForeign) {
			t.Errorf("released again: %v", err)
		}
	}
	again := obtain(t, c, size) // which writes to it
	if again.Base == s.Base {
		t.Error("what is in quarantine was handed out")
	}
	for range 3 * (8 << 20) / (1 << 20) {
		mustQuarantine(t, c, obtain(t, c, 1<<20))
		if err := c.Check(); err != nil || c.quarantine.bytes > 8<<20 {
			t.Fatalf("Check = %v, %d bytes in quarantine", err, c.quarantine.bytes)
		}
	}
	if c.quarantine.held[0].base == raw.AddrOf(s.Base) {
		t.Error("what came first has not gone first")
	}
	if err := errors.Join(c.Release(other), c.Release(again), c.Drain(), c.Check()); err != nil || counter.Bytes() != 0 {
		t.Errorf("%v, %d bytes held", err, counter.Bytes())
	}
}

// TestQuarantineIsWritableAgain takes segments out of quarantine by the need for
// them, and writes to all of their pages.
func TestQuarantineIsWritableAgain(t *testing.T) {
	up := &refusing{}
	c := NewCache(up, 8<<20)
	first := obtain(t, c, 512<<10)
	mustQuarantine(t, c, first)
	up.empty = true
	s := obtain(t, c, 1<<20) // no more than this mapping is to be had
	if s.Base != first.Base || len(c.quarantine.held) != 0 {
		t.Error("the quarantine was not ended for it")
	}
	if err := errors.Join(c.Check(), c.Release(s), c.Drain()); err != nil || c.Held() != 0 {
		t.Error(err)
	}
}

// refusing has no more segments while it is empty, and cannot make pages
// accessible again while it is stubborn.
type refusing struct {
	system
	empty, stubborn bool
}

func (r *refusing) Acquire(min, max int) (Segment, error) {
	if r.empty {
		return Segment{}, ErrNoMemory
	}
	return r.system.Acquire(min, max)
}

func (r *refusing) Protect(s Segment, off, n int, inaccessible bool) error {
	if r.stubborn && !inaccessible {
		return ErrNoMemory
	}
	return r.system.Protect(s, off, n, inaccessible)
}

// TestQuarantineThatCannotEnd keeps what the system does not give back.
func TestQuarantineThatCannotEnd(t *testing.T) {
	up := &refusing{stubborn: true}
	c := NewCache(up, 8<<20)
	mustQuarantine(t, c, obtain(t, c, 64<<10))
	if err := errors.Join(c.Drain(), c.Check()); err != nil || len(c.quarantine.held) != 1 || c.Stats().Failures != 1 {
		t.Errorf("%v, %d in quarantine, %+v", err, len(c.quarantine.held), c.Stats())
	}
	up.stubborn = false
	if err := errors.Join(c.Drain(), c.Check()); err != nil || len(c.quarantine.held) != 0 || c.Held() != 0 {
		t.Errorf("%v, %d in quarantine, %d bytes held", err, len(c.quarantine.held), c.Held())
	}
}

// TestQuarantineElsewhere is a plain release where pages cannot be protected, and
// counts as a release everywhere.
func TestQuarantineElsewhere(t *testing.T) {
	counter := Counting(OS())
	budget := NewBudget("quarantined", OS(), 1<<20)
	for name, p := range map[string]Provider{
		"heap": Heap(), "fixed": Fixed(make([]byte, 1<<20)), "cache over heap": NewCache(Heap(), 8<<20),
		"counting": counter, "budget": budget, "chain": Chain(Null(), OS()), "failing": Failing(OS(), 100),
	} {
		s := obtain(t, p, 64<<10)
		mustQuarantine(t, p, s)
		if name == "chain" || name == "fixed" {
			if err := Quarantine(p, s); !errors.Is(err, ErrForeign) {
				t.Errorf("%s: twice: %v", name, err)
			}
		}
		if _, err := p.Acquire(64<<10, 64<<10); err != nil {
			t.Errorf("%s: after it: %v", name, err)
		}
	}
	if counter.Releases() != 1 || counter.Bytes() != budget.Used() || counter.Bytes() == 0 {
		t.Errorf("%d releases, %d bytes counted, %d charged", counter.Releases(), counter.Bytes(), budget.Used())
	}
	failing := Failing(OS(), 2)
	s, err := failing.Acquire(1, 1) // and no commit, which would be the second call
	if err != nil {
		t.Fatal(err)
	}
	if err := Quarantine(failing, s); !errors.Is(err, ErrNoMemory) {
		t.Errorf("Quarantine = %v", err)
	}
	mustQuarantine(t, failing, s)
}
