package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/compare"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
)

// compareFlags are the flags of perfsuite compare.
type compareFlags struct {
	measures string
	alpha    float64
}

func newCompareSet(f *compareFlags) *flag.FlagSet {
	set := newSet("perfsuite compare")
	set.StringVar(&f.measures, "measure", report.Measures()[0].Name, "the `measures` to compare, a comma list of seconds, first, peak_first_rss,\npeak_rss, peak_footprint, drop_seconds, or all")
	set.Float64Var(&f.alpha, "alpha", compare.Alpha, "a difference is no noise if it came by chance with a `probability` of at most\nthis")
	return set
}

// runCompare compares two files, or two comma lists of them.
func runCompare(args []string) (int, error) {
	var f compareFlags
	set := newCompareSet(&f)
	if err := parseFiles(set, args); err != nil {
		return 0, err
	}
	measures, err := f.check(set.Args())
	if err != nil {
		return 0, usageError{err}
	}
	before, err := compare.Read(set.Arg(0))
	if err != nil {
		return 0, err
	}
	after, err := compare.Read(set.Arg(1))
	if err != nil {
		return 0, err
	}
	return 0, writeComparison(os.Stdout, before, after, measures, f.alpha)
}

func (f *compareFlags) check(files []string) ([]report.Measure, error) {
	if len(files) != 2 {
		return nil, fmt.Errorf("compare takes two reports in JSON, the old and the new one; there are %d arguments", len(files))
	}
	if !(f.alpha > 0 && f.alpha < 1) { // which NaN fails too
		return nil, errors.New("-alpha must lie between 0 and 1")
	}
	return findMeasures(f.measures)
}

func findMeasures(list string) ([]report.Measure, error) {
	if list == "all" {
		return report.Measures(), nil
	}
	var found []report.Measure
	for _, name := range items(list) {
		m, ok := report.FindMeasure(name)
		if !ok {
			return nil, fmt.Errorf("unknown measure %q; valid are %s, or all", name, measureNames())
		}
		found = append(found, m)
	}
	return found, nil
}

func measureNames() string {
	var names []string
	for _, m := range report.Measures() {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

func writeComparison(w io.Writer, before, after *compare.Side, measures []report.Measure, alpha float64) error {
	var tables []*compare.Table
	for _, m := range measures {
		t, err := compare.New(before, after, m, alpha)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	if err := compare.WriteIntro(w, before, after); err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.Write(w); err != nil {
			return err
		}
	}
	return nil
}

func printCompareHelp(w io.Writer) {
	fmt.Fprint(w, `Compare tells a change of the heaps from noise.

Usage: perfsuite compare [flags] old.json new.json

The files are reports of perfsuite -format json. For each test and subject the
medians of both are given, each with the 95% interval of confidence, and the
probability p that turns so different come from the same heap (Mann-Whitney U
test, as in benchstat). Where p is above -alpha the difference is noise.

A verdict needs at least 4 turns on each side, an interval 6 (-count). The test
cannot see that the machine itself was slower on one of the days: build the old
and the new program, let them take turns, and give the files of each side as a
comma list, which pools them.

Flags:
`)
	printFlags(w, newCompareSet(new(compareFlags)))
	fmt.Fprint(w, `
Examples:
  perfsuite -count 6 -format json -o old.json
  perfsuite compare old.json new.json
  perfsuite compare -measure seconds,peak_rss old1.json,old2.json new1.json,new2.json

Exit status: 0 whatever the verdicts, 1 a file cannot be read or the two are of
different scale, 2 wrong command line.
`)
}
