package segtest

import (
	"errors"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

func acquire(t *testing.T, p segment.Provider, n int) segment.Segment {
	t.Helper()
	s, err := p.Acquire(n, n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// touch writes a byte and returns the fault that this caused, if any. It is a
// function of its own so that the fault happens inside of it.
//
//go:noinline
func touch(s segment.Segment, off int) (fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	*raw.At[byte](raw.AddrOf(s.Base) + raw.Addr(off)) = 1
	return nil
}

func TestReservingFaultsUntilCommitted(t *testing.T) {
	if _, ok := segment.CommitterOf(Reserving()); !ok {
		t.Skip("nothing can be reserved here")
	}
	p := Reserving()
	s := acquire(t, p, 256<<10)
	if err := segment.Commit(p, s, 64<<10, 64<<10); err != nil {
		t.Fatal(err)
	}
	for off, committed := range map[int]bool{0: false, 65535: false, 65536: true, 131071: true, 131072: false, s.Size - 1: false} {
		if fault := touch(s, off); (fault == nil) != committed {
			t.Errorf("offset %d: committed %t, fault %v", off, committed, fault)
		}
	}
	if err := p.Release(s); err != nil {
		t.Error(err)
	}
}

func TestReservingReleasesWholesOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows itself does not look at sizes")
	}
	p := Reserving()
	if _, ok := p.(segment.Committer); !ok {
		t.Skip("nothing can be reserved here")
	}
	s := acquire(t, p, 128<<10)
	part := segment.Segment{Base: s.Base, Size: 64 << 10}
	if err := p.Release(part); !errors.Is(err, segment.ErrForeign) {
		t.Errorf("release of a part: %v", err)
	}
	if err := p.Release(s); err != nil {
		t.Error(err)
	}
}

func TestPagedSizesAndDiscard(t *testing.T) {
	const page = 16 << 10
	p := Paged(segment.Heap(), page)
	s := acquire(t, p, 3*page-5)
	if s.Size != 3*page || raw.AddrOf(s.Base)%page != 0 {
		t.Errorf("%d bytes at %p", s.Size, s.Base)
	}
	Fill(s, 1)
	if err := segment.Discard(p, s, 1, s.Size-1); err != nil {
		t.Fatal(err)
	}
	b := bytesOf(s)
	if b[0] != 1 || b[page-1] != 1 || b[page] == 1 || b[3*page-1] == 1 {
		t.Errorf("bytes after Discard: %x %x %x %x", b[0], b[page-1], b[page], b[3*page-1])
	}
	if err := p.Release(s); err != nil {
		t.Error(err)
	}
}

func TestStuckHeals(t *testing.T) {
	p := NewStuck(segment.Heap())
	s := acquire(t, p, 4096)
	if err := p.Release(s); !errors.Is(err, segment.ErrNoMemory) || p.Refused() != 1 {
		t.Errorf("%v after %d refusals", err, p.Refused())
	}
	p.Heal()
	if err := p.Release(s); err != nil {
		t.Error(err)
	}
}

// lying hands the same segment out twice, and less than was asked for.
type lying struct{ s segment.Segment }

func (l lying) Acquire(int, int) (segment.Segment, error) { return l.s, nil }
func (l lying) Release(segment.Segment) error             { return nil }

func TestLedgerNotices(t *testing.T) {
	one := acquire(t, segment.Heap(), 4096)
	for name, misuse := range map[string]func(*Ledger, segment.Segment){
		"second release": func(l *Ledger, s segment.Segment) { _ = l.Release(s); _ = l.Release(s) },
		"part":           func(l *Ledger, s segment.Segment) { s.Size -= 16; _ = l.Release(s) },
		"resize":         func(l *Ledger, s segment.Segment) { s.Size--; _, _ = l.Resize(s, 1, 1, false) },
		"discard":        func(l *Ledger, s segment.Segment) { _ = l.Discard(s, 1, s.Size) },
		"commit":         func(l *Ledger, s segment.Segment) { _ = l.Commit(s, -1, 1) },
		"overlap":        func(l *Ledger, _ segment.Segment) { _, _ = l.Acquire(1, 1) },
		"too small":      func(l *Ledger, s segment.Segment) { _ = l.Release(s); _, _ = l.Acquire(4097, 4097) },
	} {
		l := NewLedger(lying{one})
		s := acquire(t, l, 4096)
		if n, bytes := l.Out(); n != 1 || bytes != 4096 || l.Err() != nil {
			t.Fatalf("%d segments of %d bytes out, %v", n, bytes, l.Err())
		}
		if misuse(l, s); l.Err() == nil {
			t.Errorf("%s went unnoticed", name)
		}
	}
}

func TestAllAndFill(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4095, 4096, 4097} {
		s := acquire(t, segment.Heap(), n)
		Fill(s, 9)
		if !All(s, 9) || All(s, 8) {
			t.Errorf("%d bytes: filled, but not found so", n)
		}
		for _, i := range []int{0, s.Size / 2, s.Size - 1} {
			bytesOf(s)[i]++
			if All(s, 9) {
				t.Errorf("%d bytes: change at %d unseen", n, i)
			}
			bytesOf(s)[i]--
		}
	}
}
