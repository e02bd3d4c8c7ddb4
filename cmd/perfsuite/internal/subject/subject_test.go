package subject

import (
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// full are the requests of the workloads at full length.
//
// They follow from the descriptions. A vector that gets n elements asks for
// 1, 2, 4, … of them until n fit: 21 times up to 1,048,576 strings and 15 times
// up to 16,384, with 2^k-1 strings of 32 bytes in sum. perf_1 adds 1,000,000
// bodies of 201 bytes. perf_3 adds bodies of 17 to 10,001 bytes for the 9,985
// copies that are too long for the object, and 10 of 31, 61, …, 15,361 for the
// source. perf_5 has 100,000 + 4,000,000 nodes, perf_7 100,000 blocks. perf_9
// asks 1,000 times for 64, 128, …, 32,768, of which the first is an alloc.
// perf_12 has 9 storages of 4 to 1,024 bytes in each of 10,000 vectors. The
// other four depend on the random numbers and were counted once.
var full = map[work.Test]work.Counts{
	work.Strings:       {Allocs: 1_000_000 + 21, Frees: 1_000_000 + 21, Bytes: 1_000_000*201 + (1<<21-1)*32},
	work.StringsTwice:  {Allocs: 2_000_000 + 21, Frees: 2_000_000 + 21, Bytes: 2_000_000*201 + (1<<21-1)*32},
	work.Growing:       {Allocs: 9_985 + 10 + 15, Frees: 9_985 + 10 + 15, Bytes: grownBodies + grownSource + (1<<15-1)*32},
	work.GrowingTwice:  {Allocs: 2*9_985 + 10 + 15, Frees: 2*9_985 + 10 + 15, Bytes: 2*grownBodies + grownSource + (1<<15-1)*32},
	work.List:          {Allocs: 4_100_000, Frees: 4_100_000, Bytes: 4_100_000 * 24},
	work.Map:           {Allocs: 178_547, Frees: 178_547, Bytes: 51_514_395},
	work.Coalesce:      {Allocs: 100_000, Frees: 100_000, Bytes: 100_000 * 1024},
	work.Holes:         {Allocs: 120_326, Frees: 120_326, Bytes: 508_140_448},
	work.Reallocations: {Allocs: 1_000, Reallocs: 511_000, Frees: 1_000, Bytes: 1_000 * 64 * (512 * 513 / 2)},
	work.LargeRing:     {Allocs: 10_000, Frees: 10_000, Bytes: 21_659_094_235},
	work.SmallRing:     {Allocs: 1_000_000, Frees: 1_000_000, Bytes: 1_031_593_043},
	work.Vectors:       {Allocs: 90_000, Frees: 90_000, Bytes: 10_000 * 4 * (1<<9 - 1)},
}

const (
	grownBodies = (17 + 10_001) * 9_985 / 2
	grownSource = 15*(1<<11-2) + 10 // 15 × (2 + 4 + … + 1,024), and 10 zero bytes
)

// TestFullCounts runs everything at full length on the floor, which has one
// goroutine: the race detector would only make minutes of it.
func TestFullCounts(t *testing.T) {
	if raceEnabled {
		t.Skip("too long under the race detector; TestSubjectsAgree runs the same code shortened")
	}
	floor, ok := Find("floor")
	if !ok {
		t.Fatal("no subject floor")
	}
	for _, test := range work.Tests() {
		got, _ := runOnce(t, floor, test, 1)
		if got != full[test] {
			t.Errorf("%v asks for %+v, want %+v", test, got, full[test])
		}
	}
}

// TestSubjectsAgree runs everything shortened on every subject, which must ask
// for the same and read back the same.
func TestSubjectsAgree(t *testing.T) {
	const scale = 50
	for _, test := range work.Tests() {
		want, wantSum := runOnce(t, All()[0], test, scale)
		if want.Allocs == 0 || want.Allocs != want.Frees {
			t.Errorf("%v asks for %+v", test, want)
		}
		for _, s := range All()[1:] {
			if got, sum := runOnce(t, s, test, scale); got != want || sum != wantSum {
				t.Errorf("%v on %s asks for %+v, sum %#x; on %s for %+v, sum %#x", test, s.Name, got, sum, All()[0].Name, want, wantSum)
			}
		}
	}
}

// TestRunsAreAlike makes two runs and a drop between them: what one leaves
// behind must not show in the next.
func TestRunsAreAlike(t *testing.T) {
	const scale = 50
	for _, test := range work.Tests() {
		for _, s := range All() {
			r := s.New(scale)
			r.Prepare(test)
			counts, sum := finishRun(t, r)
			must(t, r.Open())
			r.Body()
			r.Forget()
			must(t, r.Drop())
			if again, sumAgain := finishRun(t, r); again != counts || sumAgain != sum {
				t.Errorf("%v on %s: %+v, sum %#x, then %+v, sum %#x", test, s.Name, counts, sum, again, sumAgain)
			}
		}
	}
}

// TestPeak expects of those who say how much they obtained that it is no less
// than what perf_7 held at once.
func TestPeak(t *testing.T) {
	const scale = 50
	for _, s := range All() {
		r := s.New(scale)
		r.Prepare(work.Coalesce)
		counts, _ := finishRun(t, r)
		if peak, known := r.Peak(); known && peak < counts.Bytes {
			t.Errorf("%s says it obtained %d bytes for %d", s.Name, peak, counts.Bytes)
		}
	}
}

func TestNames(t *testing.T) {
	for _, s := range All() {
		if got, ok := Find(s.Name); !ok || got.Text != s.Text {
			t.Errorf("Find(%q) = %+v, %v", s.Name, got, ok)
		}
	}
	if _, ok := Find("glibc"); ok {
		t.Error("Find knows glibc")
	}
}

func runOnce(t *testing.T, s Subject, test work.Test, scale int) (work.Counts, uint64) {
	t.Helper()
	r := s.New(scale)
	r.Prepare(test)
	return finishRun(t, r)
}

func finishRun(t *testing.T, r work.Runner) (work.Counts, uint64) {
	t.Helper()
	must(t, r.Open())
	sum := r.Body()
	r.Finish()
	must(t, r.Close())
	return r.Counts(), sum
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
