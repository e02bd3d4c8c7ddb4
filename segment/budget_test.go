package segment_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// mustRefuse requires that p refuses n bytes with an error of the budget by.
func mustRefuse(t *testing.T, p segment.Provider, n int, by string) *segment.LimitError {
	t.Helper()
	s, err := p.Acquire(n, n)
	var limit *segment.LimitError
	if !errors.Is(err, segment.ErrLimit) || !errors.As(err, &limit) || limit.By != by || s != (segment.Segment{}) {
		t.Fatalf("Acquire(%d) = %v, %v, want a refusal by %q", n, s, err, by)
	}
	return limit
}

func mustUse(t *testing.T, b *segment.Budget, used int) {
	t.Helper()
	if b.Used() != used {
		t.Fatalf("budget %q: %d bytes used, want %d", b.Name(), b.Used(), used)
	}
}

func TestBudgetIsHard(t *testing.T) {
	b := segment.NewBudget("b", segment.Heap(), 64*kib)
	s := mustAcquire(t, b, 64*kib)
	for range 1000 { // refusals cost nothing
		mustRefuse(t, b, 16, "b")
	}
	mustUse(t, b, 64*kib)
	mustRelease(t, b, s)
	mustUse(t, b, 0)
	mustRefuse(t, b, 64*kib+16, "b")
	s, err := b.Acquire(16, math.MaxInt) // a wish is clamped
	if err != nil || s.Size != 64*kib {
		t.Fatalf("a wish for everything got %d bytes, %v", s.Size, err)
	}
	mustRelease(t, b, s)
	if b.Peak() != 64*kib {
		t.Errorf("peak %d", b.Peak())
	}
	for _, max := range []int{0, -1, math.MinInt} {
		mustRefuse(t, segment.NewBudget("none", segment.Heap(), max), 1, "none")
	}
}

// TestBudgetChargesWhatCame stands on upstreams that give more than they are
// asked for. Where that is too much, less is asked for.
func TestBudgetChargesWhatCame(t *testing.T) {
	up := segment.Counting(segtest.Generous(segment.Heap(), 1600))
	b := segment.NewBudget("b", up, 10_000)
	s, err := b.Acquire(16, 4096)
	if err != nil || s.Size != 4096+1600 || b.Used() != s.Size {
		t.Fatalf("%d bytes, %v, %d used", s.Size, err, b.Used())
	}
	mustRefuse(t, b, 4096, "b") // 4304 are left, but it would be 5696
	mustUse(t, b, s.Size)
	s2, err := b.Acquire(16, 4304) // all that is left and 1600 is too much, 16 and 1600 is not
	if err != nil || s2.Size != 1616 {
		t.Fatalf("%d bytes, %v", s2.Size, err)
	}
	mustRelease(t, b, s, s2)
	if b.Used() != 0 || up.Bytes() != 0 || b.Peak() > b.Limit() {
		t.Errorf("%d used, %d out, peak %d", b.Used(), up.Bytes(), b.Peak())
	}
	// A fixed buffer gives all of it for a range, but exactly what is left if asked so.
	b = segment.NewBudget("b", segment.Fixed(make([]byte, 64*kib)), 10_000)
	if s, err = b.Acquire(16, 20_000); err != nil || s.Size != 10_000 {
		t.Errorf("%d bytes of the buffer, %v", s.Size, err)
	}
	mustRelease(t, b, s)
}

func TestBudgetTree(t *testing.T) {
	all := segment.NewBudget("all", segment.Heap(), 100*kib)
	a, b := all.Child("a", 60*kib), all.Child("b", 60*kib)
	a1 := a.Child("a1", math.MaxInt)
	s := mustAcquire(t, a1, 50*kib)
	mustUse(t, a1, 50*kib)
	mustUse(t, a, 50*kib)
	mustUse(t, all, 50*kib)
	mustUse(t, b, 0)
	mustRefuse(t, a1, 20*kib, "a")
	mustRefuse(t, b, 55*kib, "all")
	mustRefuse(t, b, 70*kib, "b")
	r := mustAcquire(t, b, 50*kib)
	mustRefuse(t, all, 16, "all")
	mustRelease(t, a1, s)
	mustRelease(t, b, r)
	for _, budget := range []*segment.Budget{all, a, b, a1} {
		mustUse(t, budget, 0)
	}
	if all.Peak() != 100*kib || a1.Peak() != 50*kib || a1.Limit() != math.MaxInt {
		t.Errorf("peaks %d and %d, limit %d", all.Peak(), a1.Peak(), a1.Limit())
	}
}

func TestBudgetVeto(t *testing.T) {
	all := segment.NewBudget("all", segment.Heap(), mib)
	b := all.Child("b", mib)
	all.SetLargest(64 * kib)
	if e := mustRefuse(t, b, 64*kib+1, "all"); !e.Veto || e.Limit != 64*kib {
		t.Errorf("%+v", e)
	}
	s, err := b.Acquire(64*kib, 128*kib) // what is needed counts, not what is welcome
	if err != nil {
		t.Fatal(err)
	}
	if _, err := segment.Resize(b, s, 100*kib, 200*kib, false); !errors.Is(err, segment.ErrLimit) {
		t.Errorf("Resize beyond the largest request: %v", err)
	}
	all.SetLargest(math.MaxInt)
	mustRelease(t, b, mustAcquire(t, b, 256*kib), s)
	b.SetLargest(-1)
	mustRefuse(t, b, 1, "b")
	mustUse(t, all, 0)
}

func TestBudgetSetLimit(t *testing.T) {
	b := segment.NewBudget("b", segment.Heap(), 10*kib)
	s := mustAcquire(t, b, 8*kib)
	b.SetLimit(4 * kib)
	mustRefuse(t, b, 16, "b")
	b.SetLimit(-1)
	if b.Limit() != 0 {
		t.Errorf("limit %d", b.Limit())
	}
	b.SetLimit(12 * kib)
	r := mustAcquire(t, b, 4*kib)
	b.SetLimit(4 * kib)
	mustRelease(t, b, s)
	mustRefuse(t, b, 16, "b")
	mustRelease(t, b, r)
	mustRelease(t, b, mustAcquire(t, b, 4*kib))
}

func TestBudgetResize(t *testing.T) {
	up := segment.Counting(segment.OS())
	b := segment.NewBudget("b", up, mib)
	s := mustAcquire(t, b, 256*kib)
	s, err := segment.Resize(b, s, 128*kib, 128*kib, true)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system cannot resize")
	}
	mustUse(t, b, s.Size)
	if r, err := segment.Resize(b, s, 2*mib, 2*mib, false); !errors.Is(err, segment.ErrLimit) || r != s {
		t.Errorf("Resize beyond the limit = %v, %v", r, err)
	}
	mustUse(t, b, s.Size)
	r, err := segment.Resize(b, s, 512*kib, 64*mib, false)
	if err == nil && (r.Size < 512*kib || r.Size > mib) {
		t.Errorf("%d bytes of a budget of a MiB", r.Size)
	}
	mustUse(t, b, r.Size) // also where growth is not supported
	b.SetLimit(0)
	if less, err := segment.Resize(b, r, 64*kib, 64*kib, true); err != nil {
		t.Errorf("a limit below what is used forbids to shrink: %v", err)
	} else {
		r = less
	}
	if same, err := segment.Resize(b, r, 32*kib, mib, true); err == nil && same.Size > r.Size {
		t.Errorf("grown to %d bytes under a limit of 0", same.Size)
	} else {
		r = same
	}
	mustRelease(t, b, r)
	if b.Used() != 0 || up.Bytes() != 0 || b.Peak() > mib {
		t.Errorf("%d used, %d out, peak %d", b.Used(), up.Bytes(), b.Peak())
	}
}

func TestBudgetWatermarks(t *testing.T) {
	all := segment.NewBudget("all", segment.Heap(), mib)
	b := all.Child("b", mib)
	var told []string
	note := func(name string) func(int) {
		return func(used int) { told = append(told, fmt.Sprint(name, used/kib)) }
	}
	stop := all.Watch(100*kib, note("all "))
	b.Watch(50*kib, note("b "))
	s := mustAcquire(t, b, 49*kib)
	r := mustAcquire(t, b, 1*kib)
	u := mustAcquire(t, b, 50*kib)
	mustRefuse(t, b, 2*mib, "b")
	mustRelease(t, b, u)
	mustRelease(t, b, s)
	stop()
	mustRelease(t, b, mustAcquire(t, b, 512*kib), r)
	if got, want := fmt.Sprint(told), "[b 50 all 100 all 50 b 1 b 513 b 1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// One that is reached already tells of the fall first; and it may use the budget.
	s = mustAcquire(t, all, 10*kib)
	falls := 0
	all.Watch(10*kib, func(used int) { falls++; mustRelease(t, all, mustAcquire(t, all, 16)) })
	mustRelease(t, all, s)
	if falls != 1 {
		t.Errorf("told %d times of one fall", falls)
	}
}

// slow is an upstream that waits before it answers, and then gives min.
type slow struct {
	segment.Provider
	asked, answer chan struct{}
}

func (s slow) Acquire(min, max int) (segment.Segment, error) {
	s.asked <- struct{}{}
	<-s.answer
	return s.Provider.Acquire(min, min)
}

// TestBudgetWaitsForPromises lets one call be promised all that is left while it
// needs little. Another one that fits beside that must not be refused, and one
// that does not must not wait.
func TestBudgetWaitsForPromises(t *testing.T) {
	up := slow{segment.Heap(), make(chan struct{}), make(chan struct{})}
	b := segment.NewBudget("b", up, 100*kib)
	var out [2]segment.Segment
	var wg sync.WaitGroup
	wg.Go(func() { out[0], _ = b.Acquire(10*kib, mib) })
	<-up.asked
	mustRefuse(t, b, 101*kib, "b")
	mustUse(t, b, 0) // a promise is not in use
	wg.Go(func() { out[1], _ = b.Acquire(90*kib, 90*kib) })
	up.answer <- struct{}{} // only now can the second one be asked
	<-up.asked
	up.answer <- struct{}{}
	wg.Wait()
	mustUse(t, b, 100*kib)
	mustRelease(t, b, out[:]...)
}

// slowUnit is slow, and gives whole granules and tells so.
type slowUnit struct{ slow }

func (s slowUnit) Most(min, max int) int {
	return segment.Most(segment.NewCache(s.Provider, 0), min, max)
}

// TestBudgetPromisesOnce lets two calls need more than half of the limit at the
// same time, or come to more when they are rounded up. The second one must not get
// as far as the upstream.
func TestBudgetPromisesOnce(t *testing.T) {
	exact := slow{segment.Heap(), make(chan struct{}), make(chan struct{})}
	rounded := slow{segment.NewCache(segment.Heap(), 0), exact.asked, exact.answer}
	for _, c := range []struct {
		up             segment.Provider
		limit, n, used int
	}{{exact, 100 * kib, 60 * kib, 60 * kib}, {slowUnit{rounded}, 8000, 3000, 4096}} {
		b := segment.NewBudget("b", c.up, c.limit)
		var first segment.Segment
		var wg sync.WaitGroup
		wg.Go(func() { first, _ = b.Acquire(c.n, c.n) })
		<-exact.asked
		refused := make(chan error)
		go func() { _, err := b.Acquire(c.n, c.n); refused <- err }()
		for range 1000 { // or the second could begin when the first is done
			select {
			case <-exact.asked:
				t.Error("the upstream was asked for more than the limit")
			default:
				runtime.Gosched()
			}
		}
		for answered, over := false, false; !over; {
			select {
			case exact.answer <- struct{}{}:
				answered = true
			case <-exact.asked:
				t.Error("the upstream was asked for more than the limit")
			case err := <-refused:
				if !answered || !errors.Is(err, segment.ErrLimit) {
					t.Errorf("answered %t: %v", answered, err)
				}
				over = true
			}
		}
		wg.Wait()
		mustUse(t, b, c.used)
		mustRelease(t, b, first)
	}
}

// TestBudgetSurvivesPanics panics in the upstream; nothing may stay promised.
func TestBudgetSurvivesPanics(t *testing.T) {
	b := segment.NewBudget("b", panicking{}, 64*kib)
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			s, err := b.Acquire(64*kib, 64*kib)
			t.Errorf("no panic but %v, %v", s, err)
		}()
	}
	mustUse(t, b, 0)
}

type panicking struct{ segment.Provider }

func (panicking) Acquire(int, int) (segment.Segment, error) { panic("upstream") }

// TestBudgetKeepsWhatIsRefused stands on an upstream that gives too much and does
// not take it back.
func TestBudgetKeepsWhatIsRefused(t *testing.T) {
	up := segment.Counting(segtest.Generous(segment.Heap(), 4096))
	stuck := segtest.NewStuck(up)
	all := segment.NewBudget("all", stuck, 8*kib)
	b := all.Child("b", 8*kib)
	s, err := b.Acquire(6*kib, 6*kib)
	if !errors.Is(err, segment.ErrLimit) || up.Bytes() == 0 || b.Used() != up.Bytes() || all.Used() != up.Bytes() {
		t.Fatalf("%v, %v; %d bytes used, %d out", s, err, b.Used(), up.Bytes())
	}
	if err := all.Drain(); !errors.Is(err, segment.ErrNoMemory) || b.Used() != up.Bytes() {
		t.Errorf("Drain = %v, %d bytes used, %d out", err, b.Used(), up.Bytes())
	}
	stuck.Heal()
	if err := all.Drain(); err != nil || b.Used() != 0 || up.Bytes() != 0 {
		t.Errorf("Drain = %v, %d bytes used, %d out", err, b.Used(), up.Bytes())
	}
}

// TestBudgetFailures fails every call of the upstream, one by one.
func TestBudgetFailures(t *testing.T) {
	for nth := 1; ; nth++ {
		up := segment.Counting(segment.OS())
		f := segment.Failing(up, nth)
		all := segment.NewBudget("all", f, mib)
		books := segtest.NewLedger(all.Child("b", 700*kib))
		useAll(t, books)
		books.Settled(t)
		if err := all.Drain(); err != nil && all.Drain() != nil {
			t.Fatal(err)
		}
		if up.Bytes() != 0 || all.Used() != 0 || all.Peak() > mib {
			t.Fatalf("call %d failed: %d bytes out, %d used, peak %d", nth, up.Bytes(), all.Used(), all.Peak())
		}
		if !f.Failed() {
			break
		}
	}
}

// TestBudgetUnderLoad lets goroutines use a tree of budgets in all ways while
// others watch: no budget may ever be seen beyond its limit, nor the upstream,
// whose sizes are exact.
func TestBudgetUnderLoad(t *testing.T) {
	const limit, each = 400 * kib, 150 * kib
	up := segment.Counting(segment.NewCache(segment.Heap(), mib))
	all := segment.NewBudget("all", up, limit)
	var children []*segment.Budget
	for i := range 4 {
		children = append(children, all.Child(fmt.Sprint(i), each))
	}
	var above atomic.Int64
	all.Watch(limit*3/4, func(used int) {
		if used >= limit*3/4 {
			above.Add(1)
		}
	})
	seed := segtest.Seed(t)
	done := make(chan struct{})
	var workers, watchers sync.WaitGroup
	for range 2 {
		watchers.Go(func() {
			for {
				for _, b := range append(children, all) {
					if used, peak := b.Used(), b.Peak(); used < 0 || used > b.Limit() || peak > b.Limit() {
						t.Errorf("budget %q: %d used, peak %d", b.Name(), used, peak)
						return
					}
				}
				if n := up.Bytes(); n > limit {
					t.Errorf("%d bytes out of %d", n, limit)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	var served, refused atomic.Int64
	for g := range 8 {
		workers.Go(func() {
			b := children[g%len(children)]
			rng := rand.New(rand.NewPCG(seed, uint64(g)))
			var out []segment.Segment
			for range 1000 {
				n := 4 * kib * (1 + rng.IntN(8))
				if s, err := b.Acquire(n, n*(1+rng.IntN(3))); err == nil {
					served.Add(1)
					segtest.Fill(s, byte(g))
					out = append(out, s)
				} else if refused.Add(1); !errors.Is(err, segment.ErrLimit) {
					t.Error(err)
				}
				if len(out) > 0 && rng.IntN(3) > 0 {
					i := rng.IntN(len(out))
					if r, err := segment.Resize(b, out[i], 4*kib, n, false); err == nil {
						out[i] = r
					}
					if !segtest.All(segment.Segment{Base: out[i].Base, Size: 4 * kib}, byte(g)) {
						t.Error("segment shared by two goroutines")
					}
				}
				if len(out) > 6 || len(out) > 0 && rng.IntN(3) == 0 {
					i := rng.IntN(len(out))
					if err := b.Release(out[i]); err != nil {
						t.Error(err)
					}
					out = append(out[:i], out[i+1:]...)
				}
			}
			for _, s := range out {
				if err := b.Release(s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	close(done)
	watchers.Wait()
	t.Logf("%d served, %d refused, %d times above the mark", served.Load(), refused.Load(), above.Load())
	if served.Load() == 0 || refused.Load() == 0 {
		t.Error("the test is too easy or too hard")
	}
	for _, b := range append(children, all) {
		mustUse(t, b, 0)
	}
	if up.Bytes() != 0 {
		t.Errorf("%d bytes were not given back", up.Bytes())
	}
}
