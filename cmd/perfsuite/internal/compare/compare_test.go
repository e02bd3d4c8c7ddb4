package compare

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// result has turns of those steady times; their first runs take the double, and
// nothing is known of memory.
func result(test, subject string, seconds ...float64) report.Result {
	r := report.Result{Test: test, Subject: subject, Counts: work.Counts{Allocs: 7, Frees: 7, Bytes: 70}}
	for _, s := range seconds {
		r.Turns = append(r.Turns, report.Turn{Seconds: s, First: 2 * s})
	}
	return r
}

func reportOf(results ...report.Result) *report.Report {
	return &report.Report{
		Header: report.Header{
			Machine: report.Machine{CPU: "Abacus", Cores: 2, OS: "linux", Arch: "amd64"},
			Go:      "go1.26.1",
			Date:    time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
			Count:   6, Runs: 6, Scale: 1,
		},
		Results: results,
	}
}

func side(t *testing.T, reports ...*report.Report) *Side {
	t.Helper()
	s := &Side{Files: "x.json"}
	for _, r := range reports {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func steady(t *testing.T) report.Measure {
	t.Helper()
	m, ok := report.FindMeasure("seconds")
	if !ok {
		t.Fatal("no measure of seconds")
	}
	return m
}

func compared(t *testing.T, before, after *Side) *Table {
	t.Helper()
	got, err := New(before, after, steady(t), Alpha)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// difference has a subject that got twice as fast, one that got slower, one that
// only wavers, and one on either side that the other lacks.
func difference(t *testing.T) (before, after *Side) {
	before = side(t, reportOf(
		result("perf_3", "rb", 2, 2.1, 1.9, 2, 2.05, 1.95),
		result("perf_3", "avl", 1, 1.1, 0.9, 1, 1.05, 0.95),
		result("perf_3", "trie", 1, 1.1, 0.9, 1, 1.05, 0.95),
		result("perf_3", "goheap", 5, 5, 5, 5, 5, 5),
		result("perf_4", "rb", 4, 4.1, 3.9, 4, 4.05, 3.95),
	))
	after = side(t, reportOf(
		result("perf_3", "rb", 1, 1.1, 0.9, 1, 1.05, 0.95),
		result("perf_3", "avl", 1.5, 1.6, 1.4, 1.5, 1.55, 1.45),
		result("perf_3", "trie", 1.02, 1.08, 0.91, 1.03, 0.99, 0.97),
		result("perf_3", "native:glibc", 0.5, 0.5, 0.5, 0.5, 0.5, 0.5),
		result("perf_4", "rb", 2, 2.1, 1.9, 2, 2.05, 1.95),
	))
	return before, after
}

func TestVerdicts(t *testing.T) {
	before, after := difference(t)
	got := compared(t, before, after)
	want := []struct {
		test, subject string
		verdict       Verdict
	}{
		{"perf_3", "rb", Better},
		{"perf_3", "avl", Worse},
		{"perf_3", "trie", Noise},
		{"perf_3", "goheap", OnlyOld},
		{"perf_3", "native:glibc", OnlyNew},
		{"perf_4", "rb", Better},
	}
	if len(got.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(got.Rows), len(want))
	}
	for i, w := range want {
		if r := got.Rows[i]; r.Test != w.test || r.Subject != w.subject || r.Verdict != w.verdict {
			t.Errorf("row %d: %s %s %s, want %v", i, r.Test, r.Subject, r.Verdict, w)
		}
	}
	if p := got.Rows[0].Comparison.P; p > 0.01 {
		t.Errorf("p = %g of two samples that do not meet", p)
	}
}

// TestMeans wants the mean of 2 and 4 on the old side, of 1 and 2 on the new.
func TestMeans(t *testing.T) {
	before, after := difference(t)
	got := compared(t, before, after)
	if len(got.Means) != 3 {
		t.Fatalf("means %+v, want those of rb, avl and trie", got.Means)
	}
	rb := got.Means[0]
	if rb.Subject != "rb" || rb.Tests != 2 || math.Abs(rb.Old-math.Sqrt(8)) > 1e-9 || math.Abs(rb.New-math.Sqrt(2)) > 1e-9 {
		t.Errorf("mean %+v", rb)
	}
}

// TestNoVerdict gives reasons not to compare, and expects each to be named.
func TestNoVerdict(t *testing.T) {
	good := result("perf_3", "rb", 1, 1, 1, 1)
	failed, other := good, good
	failed.Error = "killed"
	other.Bytes++
	for want, pair := range map[Verdict][2]report.Result{
		Failed:    {good, failed},
		OtherWork: {good, other},
	} {
		got := compared(t, side(t, reportOf(pair[0])), side(t, reportOf(pair[1])))
		if got.Rows[0].Verdict != want || len(got.Means) != 0 {
			t.Errorf("verdict %s, want %s; means %v", got.Rows[0].Verdict, want, got.Means)
		}
	}
	m, _ := report.FindMeasure("peak_rss")
	got, err := New(side(t, reportOf(good)), side(t, reportOf(good)), m, Alpha)
	if err != nil || got.Rows[0].Verdict != Unknown {
		t.Errorf("verdict %s, %v for a measure that nobody knows", got.Rows[0].Verdict, err)
	}
}

// TestTooFewTurns takes three turns a side, which cannot tell anything, then
// four, which can.
func TestTooFewTurns(t *testing.T) {
	few := compared(t, side(t, reportOf(result("perf_3", "rb", 2, 2, 2))), side(t, reportOf(result("perf_3", "rb", 1, 1, 1))))
	if few.Rows[0].Verdict != Noise || few.tooFew() != 1 || !strings.Contains(few.notes(), "TOO FEW TURNS in 1 of 1 comparisons for any verdict but noise: measure with -count 4 or more") {
		t.Errorf("verdict %s, notes %q", few.Rows[0].Verdict, few.notes())
	}
	four := compared(t, side(t, reportOf(result("perf_3", "rb", 2, 2, 2, 2))), side(t, reportOf(result("perf_3", "rb", 1, 1, 1, 1))))
	if four.Rows[0].Verdict != Better || four.tooFew() != 0 {
		t.Errorf("verdict %s, notes %q", four.Rows[0].Verdict, four.notes())
	}
}

func TestLeastP(t *testing.T) {
	for _, c := range []struct {
		a, b int
		want float64
	}{{1, 1, 1}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {3, 5, 2.0 / 56}, {1, 99, 0.02}} {
		if got := leastP(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("leastP(%d, %d) = %g, want %g", c.a, c.b, got, c.want)
		}
	}
}

// TestPool wants the turns of both files, in which the subjects may differ.
func TestPool(t *testing.T) {
	s := side(t,
		reportOf(result("perf_3", "rb", 1, 2)),
		reportOf(result("perf_3", "avl", 5), result("perf_3", "rb", 3)))
	if n := len(s.results[key{"perf_3", "rb"}].Turns); n != 3 || len(s.names) != 2 || len(s.Headers) != 2 {
		t.Errorf("%d turns, subjects %v", n, s.names)
	}
	other := result("perf_3", "rb", 1)
	other.Allocs++
	if err := s.Add(reportOf(other)); err != nil {
		t.Fatal(err)
	}
	if e := s.results[key{"perf_3", "rb"}].Error; !strings.Contains(e, "different work") {
		t.Errorf("error %q", e)
	}
}

func TestScales(t *testing.T) {
	quick := reportOf(result("perf_3", "rb", 1))
	quick.Header.Scale = 10
	s := side(t, reportOf(result("perf_3", "rb", 1)))
	if _, err := New(s, side(t, quick), steady(t), Alpha); err == nil || !strings.Contains(err.Error(), "1/10") {
		t.Errorf("error %v", err)
	}
	if err := s.Add(quick); err == nil {
		t.Error("pooled with another scale")
	}
}

func TestWrite(t *testing.T) {
	before, after := difference(t)
	var b strings.Builder
	if err := compared(t, before, after).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"steady, s: seconds of a warm run",
		"perf_3  │ rb           │ 2.00 ±  5% │  1.00 ± 10% │ -50.00% │ 0.002 │    6 │ better",
		"avl          │  1.00 ± 10% │ 1.50 ±  7% │ +50.00% │ 0.002 │    6 │ worse",
		"trie         │  1.00 ± 10% │ 1.00 ±  9% │       ~ │",
		"goheap       │  5.00 ±  0% │          - │         │       │ 6, 0 │ only old",
		"geomean │ rb           │        2.83 │       1.41 │ -50.00% │       │      │ tests 2",
		"2 better, 1 worse, 1 noise (p > 0.05)",
	} {
		if !strings.Contains(squeeze(b.String()), squeeze(want)) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "FEW") || strings.Contains(b.String(), "\x1b") {
		t.Errorf("warnings or colours:\n%s", b.String())
	}
}

// squeeze makes one space of several.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestIntroWarns(t *testing.T) {
	a, b := reportOf(), reportOf()
	var same, other strings.Builder
	if err := WriteIntro(&same, side(t, a), side(t, b)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(same.String(), "DIFFERENT") || !strings.Contains(same.String(), "old: x.json, 2026-05-04 03:02, go1.26.1, Abacus") {
		t.Errorf("intro %q", same.String())
	}
	c := reportOf()
	c.Header.Machine.Cores, c.Header.Go = 4, "go1.27"
	if err := WriteIntro(&other, side(t, a), side(t, c)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"DIFFERENT machines: Abacus, 2 cores", "and Abacus, 4 cores", "DIFFERENT versions of Go: go1.26.1 and go1.27"} {
		if !strings.Contains(other.String(), want) {
			t.Errorf("intro %q lacks %q", other.String(), want)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := write("good.json", reportOf(result("perf_3", "rb", 1, 2)))
	s, err := Read(good + "," + good)
	if err != nil || len(s.results[key{"perf_3", "rb"}].Turns) != 4 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{write("bad.json", "not a report"), write("empty.json", []int{}), filepath.Join(dir, "no.json"), good + ","} {
		if _, err := Read(bad); err == nil {
			t.Errorf("%s is taken for a report", bad)
		}
	}
}
