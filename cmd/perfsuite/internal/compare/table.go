package compare

import (
	"math"

	"golang.org/x/perf/benchmath"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/stat"
)

// Alpha is the usual threshold: what p must be below for a verdict.
const Alpha = 0.05

// confidence is the level of the intervals.
const confidence = 0.95

// Verdict says what a row comes to.
type Verdict string

// The verdicts. The last five say why there is no comparison.
const (
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Noise     Verdict = "noise"
	OnlyOld   Verdict = "only old"
	OnlyNew   Verdict = "only new"
	Failed    Verdict = "failed"
	OtherWork Verdict = "other work" // the sides were asked for different things
	Unknown   Verdict = "not known"  // neither side knows the measure
)

// Row compares one test on one subject. A side without turns has a nil sample.
type Row struct {
	Test, Subject string
	Old, New      *benchmath.Sample
	Comparison    benchmath.Comparison // if there are both
	Verdict       Verdict
}

// Compared reports whether the row has a comparison.
func (r *Row) Compared() bool {
	return r.Verdict == Better || r.Verdict == Worse || r.Verdict == Noise
}

// Mean is the geometric mean of a subject over the tests that have a
// comparison.
type Mean struct {
	Subject  string
	Old, New float64
	Tests    int
}

// Table is the comparison in one measure.
type Table struct {
	Measure report.Measure
	Alpha   float64
	Rows    []Row // by test, then by subject
	Means   []Mean
}

// New compares two sides in a measure. Sides of different scales are an error.
func New(before, after *Side, m report.Measure, alpha float64) (*Table, error) {
	if a, b := before.Headers[0].Scale, after.Headers[0].Scale; a != b {
		return nil, errScale(a, b)
	}
	t := &Table{Measure: m, Alpha: alpha}
	tests, names := union(before.tests, after.tests), union(before.names, after.names)
	for _, test := range tests {
		for _, name := range names {
			k := key{test, name}
			if a, b := before.results[k], after.results[k]; a != nil || b != nil {
				t.Rows = append(t.Rows, t.row(k, a, b))
			}
		}
	}
	for _, name := range names {
		if mean, ok := t.mean(name); ok {
			t.Means = append(t.Means, mean)
		}
	}
	return t, nil
}

// row compares two results, of which one may be nil.
func (t *Table) row(k key, before, after *report.Result) Row {
	r := Row{Test: k.test, Subject: k.subject, Old: t.sample(before), New: t.sample(after)}
	switch {
	case before != nil && before.Error != "", after != nil && after.Error != "":
		r.Verdict = Failed
	case r.Old == nil && r.New == nil:
		r.Verdict = Unknown
	case r.New == nil:
		r.Verdict = OnlyOld
	case r.Old == nil:
		r.Verdict = OnlyNew
	case before.Counts != after.Counts:
		r.Verdict = OtherWork
	default:
		r.Comparison = benchmath.AssumeNothing.Compare(r.Old, r.New)
		r.Verdict = verdict(r.Comparison, center(r.Old), center(r.New))
	}
	return r
}

// sample returns the measure of all turns, or nil if there are none to show.
func (t *Table) sample(r *report.Result) *benchmath.Sample {
	if r == nil || !r.Measured() {
		return nil
	}
	values := t.Measure.Values(r.Turns)
	if len(values) == 0 {
		return nil
	}
	return benchmath.NewSample(values, &benchmath.Thresholds{CompareAlpha: t.Alpha})
}

func verdict(c benchmath.Comparison, before, after float64) Verdict {
	switch {
	case c.P > c.Alpha || before == after:
		return Noise
	case after < before:
		return Better
	}
	return Worse
}

func summary(s *benchmath.Sample) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(s, confidence)
}

func center(s *benchmath.Sample) float64 { return summary(s).Center }

// mean leaves out tests where a side has nothing to multiply.
func (t *Table) mean(name string) (Mean, bool) {
	var before, after []float64
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Subject != name || !r.Compared() {
			continue
		}
		if a, b := center(r.Old), center(r.New); a > 0 && b > 0 {
			before, after = append(before, a), append(after, b)
		}
	}
	return Mean{name, stat.GeoMean(before), stat.GeoMean(after), len(before)}, len(before) > 0
}

// Count returns the number of rows with a verdict.
func (t *Table) Count(v Verdict) (n int) {
	for i := range t.Rows {
		if t.Rows[i].Verdict == v {
			n++
		}
	}
	return n
}

// tooFew returns how many compared rows have so few turns that p cannot get
// below the threshold, even if all turns of one side are faster.
func (t *Table) tooFew() (n int) {
	for i := range t.Rows {
		if c := t.Rows[i].Comparison; t.Rows[i].Compared() && leastP(c.N1, c.N2) > t.Alpha {
			n++
		}
	}
	return n
}

// leastP returns the smallest p of the U test with samples of those sizes: two
// of the ways to choose a among a+b.
func leastP(a, b int) float64 {
	ways := 1.0
	for i := 1; i <= a; i++ {
		ways *= float64(b+i) / float64(i)
	}
	return math.Min(1, 2/ways)
}

// union returns the names of a, then those that only b has.
func union(a, b []string) []string {
	all := append([]string(nil), a...)
	for _, name := range b {
		all = withName(all, name)
	}
	return all
}
