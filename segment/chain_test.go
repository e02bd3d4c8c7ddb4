package segment_test

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

func TestChainAsksFirstFirst(t *testing.T) {
	first := segment.Counting(segment.Fixed(make([]byte, 10*kib)))
	then := segment.Counting(segment.Heap())
	p := segment.Chain(first, then)
	a := mustAcquire(t, p, 4*kib)
	b := mustAcquire(t, p, 4*kib)
	c := mustAcquire(t, p, 4*kib) // first has less than that left
	if first.Bytes() != 8*kib || then.Bytes() != 4*kib {
		t.Errorf("%d bytes from first, %d from then", first.Bytes(), then.Bytes())
	}
	mustRelease(t, p, b, c, a)
	if first.Bytes() != 0 || then.Bytes() != 0 || first.Failures() != 1 || then.Failures() != 0 {
		t.Errorf("%d bytes out of first, %d of then, %d and %d calls failed",
			first.Bytes(), then.Bytes(), first.Failures(), then.Failures())
	}
	if d := mustAcquire(t, p, 8*kib); first.Bytes() == 8*kib {
		mustRelease(t, p, d)
	} else {
		t.Error("what came back to first is not used again")
	}
}

// TestChainRefusesForeignSegments must not let the system unmap a buffer of the
// Go heap because it was released twice.
func TestChainRefusesForeignSegments(t *testing.T) {
	p := segment.Chain(segment.Fixed(make([]byte, 64*kib)), segment.OS())
	s := mustAcquire(t, p, 64*kib-16)
	mustRelease(t, p, s)
	bad := segment.Segment{Base: s.Base, Size: 16}
	live := mustAcquire(t, p, 4*kib)
	for _, err := range []error{
		p.Release(s), p.Release(bad), segment.Discard(p, s, 0, 1), segment.Commit(p, s, 0, 1),
		p.Release(segment.Segment{Base: live.Base, Size: 8 * kib}),
	} {
		// Commit is not asked for where nothing needs it.
		if _, needed := segment.CommitterOf(p); !errors.Is(err, segment.ErrForeign) && (needed || err != nil) {
			t.Errorf("%v, want ErrForeign", err)
		}
	}
	if r, err := segment.Resize(p, s, 1, 1, false); !errors.Is(err, segment.ErrForeign) || r != s {
		t.Errorf("Resize = %v, %v", r, err)
	}
	mustRelease(t, p, live)
}

// TestChainReleasesOnce stands on a provider that would take a segment twice.
func TestChainReleasesOnce(t *testing.T) {
	p := segment.Chain(segment.Null(), segment.Heap())
	s := mustAcquire(t, p, 4*kib)
	mustRelease(t, p, s)
	if err := p.Release(s); !errors.Is(err, segment.ErrForeign) {
		t.Errorf("the second Release: %v", err)
	}
}

func TestChainErrorsTellBothReasons(t *testing.T) {
	p := segment.Chain(segment.NewBudget("small", segment.Heap(), 100), segment.Null())
	_, err := p.Acquire(1000, 2000)
	if !errors.Is(err, segment.ErrLimit) || !errors.Is(err, segment.ErrNoMemory) {
		t.Errorf("%v does not wrap both reasons", err)
	}
	want := `segment: chain: acquire 1000 to 2000 bytes: segment: null: acquire 1000 to 2000 bytes: out of memory: ` +
		`segment: budget "small": 1000 bytes, with 0 of 100 used: memory limit reached`
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// TestChainFailures fails every call of either side, one by one.
func TestChainFailures(t *testing.T) {
	for nth := 1; ; nth++ {
		first := segment.Counting(segment.Fixed(make([]byte, 70*kib)))
		then := segment.Counting(segment.OS())
		f1, f2 := segment.Failing(first, nth), segment.Failing(then, nth)
		books := segtest.NewLedger(segment.Chain(f1, f2))
		useAll(t, books)
		books.Settled(t)
		if first.Bytes() != 0 || then.Bytes() != 0 {
			t.Fatalf("call %d failed: %d and %d bytes were not given back", nth, first.Bytes(), then.Bytes())
		}
		if !f1.Failed() && !f2.Failed() {
			break
		}
	}
}

// useAll takes and resizes segments and gives all of them back, if need be by a
// second attempt. Whatever fails, contents must last.
func useAll(t *testing.T, p segment.Provider) {
	t.Helper()
	out := map[byte]segment.Segment{}
	for i, n := range []int{4 * kib, 64 * kib, 100 * kib, 200 * kib} {
		s, err := p.Acquire(n, 2*n)
		if err != nil {
			continue
		}
		if segment.Commit(p, s, 0, s.Size) != nil {
			mustCommit(t, p, s)
		}
		segtest.Fill(s, byte(i))
		out[byte(i)] = s
	}
	for mark, s := range out {
		kept := s.Size
		for _, n := range []int{s.Size / 2, 3 * s.Size} {
			r, err := segment.Resize(p, s, n, n, false)
			if err != nil && r != s {
				t.Errorf("a failed Resize changed %v to %v", s, r)
			}
			s, kept = r, min(kept, r.Size)
		}
		if !segtest.All(segment.Segment{Base: s.Base, Size: kept}, mark) {
			t.Errorf("contents of segment %d are lost", mark)
		}
		_ = segment.Discard(p, s, 0, s.Size/2)
		if p.Release(s) != nil {
			mustRelease(t, p, s)
		}
	}
}
