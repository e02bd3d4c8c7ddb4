package memctx_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// numbered writes the index of each word from the given byte on into it.
func numbered(p unsafe.Pointer, from, to int) {
	for i := from &^ 511; i+8 <= to; i += 512 {
		*(*uint64)(unsafe.Add(p, i)) = uint64(i) * 0x9E3779B97F4A7C15
	}
}

// isNumbered reports whether the first n bytes are as numbered wrote them.
func isNumbered(p unsafe.Pointer, n int) bool {
	for i := 0; i+8 <= n; i += 512 {
		if *(*uint64)(unsafe.Add(p, i)) != uint64(i)*0x9E3779B97F4A7C15 {
			return false
		}
	}
	return true
}

// resizable are providers that resize segments of all sizes, on this system.
func resizable(t *testing.T) map[string]func() segment.Provider {
	t.Helper()
	ps := map[string]func() segment.Provider{
		"restless":            func() segment.Provider { return segtest.NewRestless(segment.Heap(), 64) },
		"cache over restless": func() segment.Provider { return segment.NewCache(segtest.NewRestless(segment.Heap(), 4096), 64<<20) },
		"budget and chain over restless": func() segment.Provider {
			return segment.NewBudget("b", segment.Chain(segment.Null(), segtest.NewRestless(segment.Heap(), 4096)), 256<<20)
		},
	}
	probe, err := segment.OS().Acquire(64<<10, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	probe, err = segment.Resize(segment.OS(), probe, 1<<20, 1<<20, false)
	if err == nil {
		ps["os"] = segment.OS
		ps["cache over os"] = func() segment.Provider { return segment.NewCache(segment.OS(), 64<<20) }
	}
	if err := segment.OS().Release(probe); err != nil {
		t.Fatal(err)
	}
	return ps
}

// TestReallocResizesSegments lets a block grow from 20 KB to 4 MB: where the provider
// resizes, it needs one segment and no byte is copied.
func TestReallocResizesSegments(t *testing.T) {
	for name, make := range resizable(t) {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			for _, align := range []int{1, 64, 4096} {
				o.Provider = make()
				mc, counter := newCounted(t, o)
				n := 20_000
				p := mustAligned(t, mc, n, align)
				numbered(p, 0, n)
				for n < less(4<<20) {
					m := n + n/3
					grown := mustRealloc(t, mc, p, m)
					if uintptr(grown)%uintptr(align) != 0 || !isNumbered(grown, n) {
						t.Fatalf("%s: %d bytes at %p, aligned to %d, after %d", name, m, grown, align, n)
					}
					numbered(grown, n, m)
					p, n = grown, m
					mustCheck(t, mc)
				}
				if most := n + n/16 + 256<<10; !isChecked(o) && (counter.Acquires() != 1 || mc.PeakFootprint() > most) {
					t.Errorf("%s, aligned to %d: %d segments, peak %d of at most %d", name, align, counter.Acquires(), mc.PeakFootprint(), most)
				}
				mc.Free(p)
				if s := mc.Stats(); s.Blocks != 0 || s.InUse != 0 {
					t.Errorf("%s: %+v", name, s)
				}
				if err := mc.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestTryResizeResizesSegments grows a block where it is, and only there.
func TestTryResizeResizesSegments(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		source := segtest.NewRestless(segment.Heap(), 64)
		o.Provider = source
		mc, counter := newCounted(t, o)
		const n = 300_000
		p := mustAlloc(t, mc, n)
		fill(p, n, 4)
		if !mc.TryResize(p, n+n/4) || counter.Resizes() != 1 {
			t.Fatalf("TryResize failed after %d resizes", counter.Resizes())
		}
		fill(p, n+n/4, 4)
		mustCheck(t, mc)
		before := mc.Stats()
		if mc.TryResize(p, 3*n) {
			t.Fatal("TryResize found room that is not there")
		}
		mustCheck(t, mc)
		if after := mc.Stats(); after != before || !all(p, n+n/4, 4) {
			t.Errorf("a resize that failed left %+v of %+v", after, before)
		}
		if _, moved := source.Grown(); moved != 0 {
			t.Error("TryResize has moved a segment")
		}
	})
}

// TestReallocBesideFreeChunks shrinks a block in its segment, which leaves a free chunk
// behind it, and lets it grow beyond it; the alignment has left one before it.
func TestReallocBesideFreeChunks(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Provider, o.Retain = segtest.NewRestless(segment.Heap(), 64), 64<<20
		mc, counter := newCounted(t, o)
		const n = 1 << 20
		p := mustAligned(t, mc, n, 256)
		for range 3 {
			p = mustRealloc(t, mc, p, n/4)
			numbered(p, 0, n/4)
			if mc.Stats().LargestFree < n/2 {
				t.Fatalf("nothing is free behind the block: %+v", mc.Stats())
			}
			p = mustRealloc(t, mc, p, n+n/2)
			if uintptr(p)%256 != 0 || !isNumbered(p, n/4) {
				t.Fatalf("the block at %p is not as it was", p)
			}
			mustCheck(t, mc)
			p = mustRealloc(t, mc, p, n)
		}
		if !isChecked(o) && counter.Acquires() != 1 {
			t.Errorf("%d segments", counter.Acquires())
		}
		// Beside a block that is in use nothing may move.
		small := mustAlloc(t, mc, 100)
		mc.Free(mustAlloc(t, mc, n))
		fill(small, 100, 9)
		p = mustRealloc(t, mc, p, 4*n)
		mustCheck(t, mc)
		if !all(small, 100, 9) || !isNumbered(p, n/4) {
			t.Error("contents are lost")
		}
	})
}

// TestCase07_AlignmentOfResizedSegments has a block aligned to 2 MiB, which a segment that
// moves would hardly keep.
func TestCase07_AlignmentOfResizedSegments(t *testing.T) {
	const align = 2 << 20
	for name, make := range resizable(t) {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			o.Provider = make()
			source, _ := o.Provider.(*segtest.Restless)
			mc, _ := newCounted(t, o)
			n := 100_000
			p := mustAligned(t, mc, n, align)
			numbered(p, 0, n)
			for n < 6<<20 {
				m := n + n/2
				if !mc.TryResize(p, m) {
					p = mustRealloc(t, mc, p, m)
				}
				if uintptr(p)%align != 0 || !isNumbered(p, n) {
					t.Fatalf("%s: block at %p", name, p)
				}
				numbered(p, n, m)
				n = m
				mustCheck(t, mc)
			}
			mc.Free(p)
			if source == nil {
				return
			}
			if grown, moved := source.Grown(); grown == 0 || moved > 0 {
				t.Errorf("of %d segments that have grown %d moved", grown, moved)
			}
		})
	}
}

// TestReallocWhenResizeFails fails each call to the provider in turn. A Realloc that
// fails has changed nothing, and one that succeeds has lost nothing.
func TestReallocWhenResizeFails(t *testing.T) {
	for name, make := range resizable(t) {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			for _, from := range []func(segment.Provider, int) *segment.Failer{segment.Failing, segment.FailingFrom} {
				for nth := 1; ; nth++ {
					failer := from(make(), nth)
					o.Provider = failer
					growAndShrink(t, o, name, nth, failer)
					if !failer.Failed() {
						break
					}
				}
			}
		})
	}
}

func growAndShrink(t *testing.T, o memctx.Options, name string, nth int, failer *segment.Failer) {
	t.Helper()
	mc, counter := newCounted(t, o)
	n := 0
	p := unsafe.Pointer(nil)
	for _, m := range []int{50_000, 90_000, 200_000, 700_000, 100_000, 150_000, 900_000, 20_000} {
		before, bytes := mc.Stats(), counter.Bytes()
		q, err := mc.Realloc(p, m)
		mustCheck(t, mc)
		if counter.Bytes() != mc.Footprint() {
			t.Fatalf("%s, call %d failed: %d bytes are out, the footprint is %d", name, nth, counter.Bytes(), mc.Footprint())
		}
		if err == nil {
			p = q
			if !isNumbered(p, min(n, m)) {
				t.Fatalf("%s, call %d failed: contents are lost", name, nth)
			}
			n = m
			numbered(p, 0, n)
			continue
		}
		mustFail(t, err, memctx.ErrNoMemory, "Realloc")
		// What waits may have been coalesced to make room, and given back.
		after := mc.Stats()
		if after.InUse != before.InUse || after.Blocks != before.Blocks || counter.Bytes() > bytes || !isNumbered(p, n) {
			t.Fatalf("%s, call %d failed: %+v of %+v", name, nth, after, before)
		}
		if !isChecked(o) && after.Footprint != before.Footprint {
			t.Fatalf("%s, call %d failed: the footprint was %d and is %d", name, nth, before.Footprint, after.Footprint)
		}
	}
	failer.Heal()
	if err := mc.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReallocAtTheLimit grows a block under every limit around what it needs, over
// providers of several units. The limit is hard, and a refusal changes nothing.
func TestReallocAtTheLimit(t *testing.T) {
	const n, m = 500_000, 900_000
	for _, unit := range []int{16, 4 << 10, 64 << 10} {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			served := false
			for limit := m - 5000; limit < m+160<<10; limit += 4099 * (1 + unit/8192) {
				o.Provider = segtest.NewRestless(segment.Heap(), unit)
				mc, counter := newCounted(t, o)
				p := mustAlloc(t, mc, n)
				fill(p, n, 2)
				mc.SetLimit(limit)
				before := mc.Stats()
				q, err := mc.Realloc(p, m)
				mustCheck(t, mc)
				switch {
				case err == nil:
					served = true
					p = q
				case served:
					t.Errorf("unit %d: refused at a limit of %d, not at lower ones", unit, limit)
				case mc.Stats() != before:
					t.Errorf("unit %d: a refusal made %+v of %+v", unit, mc.Stats(), before)
				default:
					mustFail(t, err, memctx.ErrLimit, "Realloc")
				}
				if !all(p, n, 2) || mc.PeakFootprint() > limit || counter.PeakBytes() > limit {
					t.Fatalf("unit %d: peak %d at a limit of %d", unit, counter.PeakBytes(), limit)
				}
			}
			if !served && !isChecked(o) {
				t.Errorf("unit %d: never served", unit)
			}
		})
	}
}

// TestReallocUsesWhatIsBehind has a small cached chunk between a block that grows at
// the limit and the top, which is too small for a copy.
func TestReallocUsesWhatIsBehind(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		mustAlloc(t, mc, 64_000)
		if err := mc.Reset(); err != nil {
			t.Fatal(err)
		}
		mc.SetLimit(1)
		p, between := mustAlloc(t, mc, 40_000), mustAlloc(t, mc, 100)
		numbered(p, 0, 40_000)
		mc.Free(between)
		if grown := mustRealloc(t, mc, p, 50_000); grown != p || !isNumbered(p, 40_000) {
			t.Errorf("the block moved from %p to %p, or has lost its contents", p, grown)
		}
		mustCheck(t, mc)
	})
}

// TestReallocReleasesForTheLimit needs what lies idle to be given back before the
// segment may grow: nothing fails while free memory could serve it.
func TestReallocReleasesForTheLimit(t *testing.T) {
	const n, limit = 4 << 20, 10 << 20
	source := segtest.NewRestless(segment.Heap(), 64)
	mc, _ := newCounted(t, memctx.Options{Provider: source, Limit: limit, Retain: limit})
	p := mustAlloc(t, mc, n)
	numbered(p, 0, n)
	mc.Free(mustAlloc(t, mc, n))
	if mc.Footprint() < 2*n {
		t.Fatalf("the footprint is %d: nothing lies idle", mc.Footprint())
	}
	p = mustRealloc(t, mc, p, limit-n/2)
	mustCheck(t, mc)
	if !isNumbered(p, n) || mc.PeakFootprint() > limit {
		t.Errorf("peak %d", mc.PeakFootprint())
	}
}

// lavish gives more than it is asked for when a segment grows, against the contract.
type lavish struct {
	segment.Provider
	calls int
}

func (l *lavish) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	l.calls++
	if max > s.Size {
		min, max = max+300_000, max+300_000
	}
	return segment.Resize(l.Provider, s, min, max, fixed)
}

// TestReallocGivesBackWhatIsTooMuch has a provider whose growth exceeds the limit: it
// gets back what is beyond.
func TestReallocGivesBackWhatIsTooMuch(t *testing.T) {
	const n, limit = 500_000, 900_000
	source := &lavish{Provider: segtest.NewRestless(segment.Heap(), 64)}
	mc, _ := newCounted(t, memctx.Options{Provider: source, Limit: limit})
	p := mustRealloc(t, mc, mustAlloc(t, mc, n), n+n/4)
	fill(p, n+n/4, 1)
	mustCheck(t, mc)
	if mc.Footprint() > limit || source.calls != 2 {
		t.Errorf("%d bytes at a limit of %d, %d calls", mc.Footprint(), limit, source.calls)
	}
}

// TestObserverOfResizedSegments adds up what an observer hears of segments.
func TestObserverOfResizedSegments(t *testing.T) {
	for _, o := range []memctx.Options{{}, {Guard: true}, {Checked: true}} {
		held, reallocs := 0, 0
		o.Observer = observe(func(e diag.Event) {
			switch e.Kind {
			case diag.EventAcquire:
				held += e.Size
			case diag.EventRelease:
				held -= e.Size
			case diag.EventRealloc:
				reallocs++
			}
		})
		source := segtest.NewRestless(segment.Heap(), 64)
		o.Provider = source
		mc := newContext(t, &o)
		p := mustAlloc(t, mc, 100_000)
		for n := 200_000; n < 2_000_000; n += 200_000 {
			p = mustRealloc(t, mc, p, n)
			if held != mc.Footprint() {
				t.Errorf("%d bytes were told, the footprint is %d", held, mc.Footprint())
			}
		}
		mustRealloc(t, mc, p, 10)
		if held != mc.Footprint() || reallocs != 10 {
			t.Errorf("%d bytes were told, the footprint is %d after %d reallocs", held, mc.Footprint(), reallocs)
		}
		if err := mc.Close(); err != nil || held != 0 {
			t.Errorf("%d bytes were told after Close, %v", held, err)
		}
	}
}

// observe is an observer that is a function.
type observe func(diag.Event)

func (f observe) Observe(e diag.Event) { f(e) }

// TestCheckedKeepsThePlace does not let the place of a block be another's as soon as
// Checked has moved it: a pointer from before is told as one.
func TestCheckedKeepsThePlace(t *testing.T) {
	source := segtest.NewRestless(segment.Heap(), 64)
	mc, _ := newCounted(t, memctx.Options{Provider: source, Checked: true})
	p := mustAlloc(t, mc, 100_000)
	q := mustRealloc(t, mc, p, 120_000) // where it is
	if q != p {
		t.Fatalf("the block has moved from %p to %p", p, q)
	}
	q = mustRealloc(t, mc, p, 1_000_000)
	if q == p {
		t.Fatal("the block has not moved")
	}
	mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(p) })
	mc.Free(q)
}

// TestReallocYieldsTails shrinks a block: what Retain, or 3/4 of what is in use, does
// not let the context keep goes back at once, where the provider takes it.
func TestReallocYieldsTails(t *testing.T) {
	const n = 8 << 20
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for _, c := range []struct {
			retain   memctx.Size
			provider segment.Provider
			most     int
		}{
			{1, segtest.NewRestless(segment.Heap(), 64), 150_000},
			{n * 2, segtest.NewRestless(segment.Heap(), 64), n + n/8},
			{1, segtest.Rigid(segment.Heap()), n + n/8},
		} {
			o.Retain, o.Provider = c.retain, c.provider
			mc, counter := newCounted(t, o)
			p := mustAlloc(t, mc, n)
			fill(p, 20_000, 5)
			q := mustRealloc(t, mc, p, 20_000)
			mustCheck(t, mc)
			if got := mc.Footprint(); q != p || got > c.most || got < c.most/2-100_000 || counter.Bytes() != got {
				t.Errorf("retain %d over %T: footprint %d, at most %d", c.retain, c.provider, got, c.most)
			}
			p = mustRealloc(t, mc, p, n)
			mustCheck(t, mc)
			if !all(p, 20_000, 5) {
				t.Error("contents are lost")
			}
		}
	})
}

// TestReallocKeepsTheTop leaves a block alone in its segment that has the top: it
// grows into that, and is copied beyond it.
func TestReallocKeepsTheTop(t *testing.T) {
	mc, counter := newCounted(t, memctx.Options{Provider: segtest.NewRestless(segment.Heap(), 64)})
	const n = 12_000
	p := mustAlloc(t, mc, n)
	fill(p, n, 8)
	p = mustRealloc(t, mc, p, 10*n)
	mustCheck(t, mc)
	if !all(p, n, 8) || counter.Resizes() != 0 || mc.UsableSize(p) < 10*n {
		t.Errorf("%d resizes", counter.Resizes())
	}
}

// TestResizedSegmentsAreInOrder lets several blocks grow in turns: segments pass each
// other by.
func TestResizedSegmentsAreInOrder(t *testing.T) {
	for name, make := range resizable(t) {
		o := memctx.Options{Provider: make()}
		mc, counter := newCounted(t, o)
		const blocks = 5
		var ps [blocks]unsafe.Pointer
		var ns [blocks]int
		for round := range 60 {
			i := round % blocks
			n := ns[i] + 70_000 + 10_000*i
			ps[i] = mustRealloc(t, mc, ps[i], n)
			if !isNumbered(ps[i], ns[i]) {
				t.Fatalf("%s: block %d of %d bytes", name, i, ns[i])
			}
			ns[i] = n
			numbered(ps[i], 0, n)
			mustCheck(t, mc)
		}
		if counter.Resizes() < blocks {
			t.Errorf("%s: %d resizes", name, counter.Resizes())
		}
		for i := range ps {
			mc.FreeSized(ps[i], ns[i], chunk.Align)
		}
		mustCheck(t, mc)
		if err := errors.Join(mc.Trim(), mc.Close()); err != nil {
			t.Error(fmt.Errorf("%s: %w", name, err))
		}
	}
}
