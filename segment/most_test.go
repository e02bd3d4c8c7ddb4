package segment_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// rounding are providers that give what they tell, by name.
var rounding = map[string]func() segment.Provider{
	"os":         segment.OS,
	"heap":       segment.Heap,
	"cache":      func() segment.Provider { return segment.NewCache(segment.Heap(), mib) },
	"generous":   func() segment.Provider { return segment.NewCache(segtest.Generous(segment.Heap(), 12_345), mib) },
	"pages":      func() segment.Provider { return segtest.Paged(segment.Heap(), 16*kib) },
	"reserving":  segtest.Reserving,
	"fixed":      func() segment.Provider { return segment.Fixed(make([]byte, 200*kib)) },
	"too much":   func() segment.Provider { return segment.Fixed(make([]byte, 2*mib)) },
	"chain":      func() segment.Provider { return segment.Chain(segment.Fixed(make([]byte, 50_000)), segment.OS()) },
	"stingy":     func() segment.Provider { return segtest.Stingy(segment.OS()) },
	"decorators": func() segment.Provider { return segment.Huge(segment.Failing(segment.Counting(segment.OS()), 0)) },
	"budget":     func() segment.Provider { return segment.NewBudget("beneath", segment.OS(), 10*mib) },
}

// TestBudgetHoldsBeneath lets a budget ask for sizes that are no multiples of what
// its upstream gives. The upstream must not have handed out more than the limit at
// any time, nor may anything be refused that fits.
func TestBudgetHoldsBeneath(t *testing.T) {
	const limit = 300_001
	seed := segtest.Seed(t)
	for name, source := range rounding {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			up := segment.Counting(source())
			b := segment.NewBudget("all", up, limit).Child("b", limit)
			var out []segment.Segment
			refused := 0
			for range 2000 {
				min := 1 + rng.IntN(90_000)>>rng.IntN(8)
				left := limit - b.Used()
				s, err := b.Acquire(min, min+rng.IntN(100_000)>>rng.IntN(18))
				switch {
				case err == nil:
					out = append(out, s)
				case errors.Is(err, segment.ErrLimit):
					if refused++; segment.Most(up, min, min) <= left {
						t.Fatalf("%d bytes are refused while %d are left: %v", min, left, err)
					}
				case !errors.Is(err, segment.ErrNoMemory):
					t.Fatal(err)
				}
				if used := b.Used(); up.Bytes() != used || up.PeakBytes() > limit {
					t.Fatalf("%d used, %d out, at most %d of %d", used, up.Bytes(), up.PeakBytes(), limit)
				}
				for len(out) > 0 && rng.IntN(5) < 2 {
					i := rng.IntN(len(out))
					mustRelease(t, b, out[i])
					out = append(out[:i], out[i+1:]...)
				}
			}
			if mustRelease(t, b, out...); refused == 0 && name != "fixed" {
				t.Error("the test is too easy")
			}
		})
	}
}

// TestBudgetRefusesWithoutAsking has room for what is needed and not for what it is
// rounded to.
func TestBudgetRefusesWithoutAsking(t *testing.T) {
	up := segment.Counting(segment.NewCache(segment.Heap(), mib))
	b := segment.NewBudget("b", up, 10_000)
	mustAcquire(t, b, 5000)
	if e := mustRefuse(t, b, 1500, "b"); e.N != 4096 || e.Used != 8192 {
		t.Errorf("%+v, want a refusal of 4096 bytes", e)
	}
	if e := mustRefuse(t, b, 1900, "b"); e.N != 1900 {
		t.Errorf("%+v, want a refusal of 1900 bytes", e)
	}
	if calls := up.Calls(); calls != 1 {
		t.Errorf("the upstream was called %d times", calls)
	}
}

func TestMost(t *testing.T) {
	cache := segment.NewCache(segment.Heap(), 0)
	buffer := segment.Fixed(make([]byte, 100*kib+16)) // of which the first 15 bytes may be lost
	for _, c := range []struct {
		p              segment.Provider
		min, max, most int
	}{
		{segment.Heap(), 1, 1, 16},
		{segment.Heap(), 17, 100, 96},
		{cache, 100, 100, 4 * kib},
		{cache, 100, 10_000, 8 * kib},
		{cache, 5000, 6000, 8 * kib},
		{buffer, 1000, 1000, 1000},
		{segment.Chain(buffer, cache), 1000, 1000, 4 * kib},
		{segment.Chain(cache, segment.Null()), 4097, 5000, 8 * kib},
		{segment.NewBudget("b", segtest.Paged(segment.Heap(), 64*kib), 1), 1, 1, 64 * kib},
		{segment.Null(), 10, 20, 20},
		{panicking{}, 10, 20, 20},
	} {
		if most := segment.Most(c.p, c.min, c.max); most != c.most {
			t.Errorf("Most(%T, %d, %d) = %d, want %d", c.p, c.min, c.max, most, c.most)
		}
	}
	if most := segment.Most(segment.Counting(buffer), 1000, 1001); most < 100*kib || most > 100*kib+16 {
		t.Errorf("a buffer of 100 KiB gives %d bytes at most", most)
	}
}
