package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
)

// standardInput is what stands for the standard input in the place of a file.
const standardInput = "-"

// showFlags are the flags of perfsuite show.
type showFlags struct {
	format, output, base, subjects, run string
}

func newShowSet(f *showFlags) *flag.FlagSet {
	set := newSet("perfsuite show")
	set.StringVar(&f.format, "format", report.Formats()[0].Name, "the `format` to show it in: "+formatNames()+"; of a report of\nscale table or json")
	set.StringVar(&f.output, "o", "", "the `file` to write to; default the standard output")
	set.StringVar(&f.base, "base", "", "the `subject` that ratios refer to; default that of the report, or the first of\n-subjects where that is not among them")
	set.StringVar(&f.subjects, "subjects", "", "the `heaps` to show, a comma list; native stands for all mallocs of the system;\ndefault all")
	set.StringVar(&f.run, "run", "", "the `tests` to show: a comma list of names, numbers or regular expressions that\nmatch a whole name; default all")
	return set
}

// runShow shows a report that was kept.
func runShow(args []string) (int, error) {
	var f showFlags
	set := newShowSet(&f)
	if err := parseFiles(set, args); err != nil {
		return 0, err
	}
	if set.NArg() != 1 {
		return 0, usagef("show takes one report in JSON, behind its flags; there are %d arguments", set.NArg())
	}
	format, ok := report.FindFormat(f.format)
	if !ok {
		return 0, usagef("unknown format %q; valid are %s", f.format, formatNames())
	}
	r, err := readReportFile(set.Arg(0))
	if err != nil {
		return 0, err
	}
	if r.Header.Crowds && !slices.Contains(scaleFormats, f.format) {
		return 0, usagef("%s is a report of perfsuite scale and has no format %q; valid are %s", set.Arg(0), f.format, strings.Join(scaleFormats, ", "))
	}
	if r, err = f.choose(r); err != nil {
		return 0, usageError{err}
	}
	return 0, write(format, f.output, r)
}

// readReportFile reads the report in a file or on the standard input.
func readReportFile(name string) (*report.Report, error) {
	if name == standardInput {
		return report.ReadNamed(name, os.Stdin)
	}
	return report.ReadFile(name)
}

// choose returns the part of the report that the flags ask for.
func (f *showFlags) choose(r *report.Report) (*report.Report, error) {
	tests, err := f.tests(r.Tests())
	if err != nil {
		return nil, err
	}
	subjects, err := f.chosenSubjects(r.SubjectNames())
	if err != nil {
		return nil, err
	}
	base := f.base
	switch {
	case base != "" && !slices.Contains(subjects, base):
		return nil, fmt.Errorf("the base %q is not among the subjects; valid are %s", base, names(subjects))
	case base == "" && (slices.Contains(subjects, r.Header.Base) || len(subjects) == 0):
		base = r.Header.Base
	case base == "":
		base = subjects[0]
	}
	return r.Part(tests, subjects, base), nil
}

// tests returns those of the report's tests that any item of -run names.
func (f *showFlags) tests(there []string) ([]string, error) {
	if f.run == "" {
		return there, nil
	}
	chosen := map[string]bool{}
	for _, item := range items(f.run) {
		found := matchNames(item, there)
		if len(found) == 0 {
			return nil, fmt.Errorf("the report has no test %q; valid are %s", item, names(there))
		}
		for _, name := range found {
			chosen[name] = true
		}
	}
	return slices.DeleteFunc(there, func(name string) bool { return !chosen[name] }), nil
}

// matchNames returns the name that an item is, or those that it matches. The
// twelve tests may be called by their numbers.
func matchNames(item string, there []string) []string {
	if slices.Contains(there, item) {
		return []string{item}
	}
	re, err := regexp.Compile("^(?:perf_)?(?:" + item + ")$")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(there), func(name string) bool { return !re.MatchString(name) })
}

// chosenSubjects returns those of the report's subjects that -subjects names,
// once each and in its order.
func (f *showFlags) chosenSubjects(there []string) ([]string, error) {
	if f.subjects == "" {
		return there, nil
	}
	natives := slices.DeleteFunc(slices.Clone(there), func(name string) bool { return !report.IsNative(name) })
	var chosen []string
	for _, item := range items(f.subjects) {
		switch {
		case item == everyNative && len(natives) != 0:
			chosen = append(chosen, natives...)
		case slices.Contains(there, item):
			chosen = append(chosen, item)
		default:
			return nil, fmt.Errorf("the report has no subject %q; valid are %s", item, names(there))
		}
	}
	return unique(chosen), nil
}

// names lists what there is, as far as it goes into a line.
func names(there []string) string {
	const most = 20
	switch {
	case len(there) == 0:
		return "none, for it is empty"
	case len(there) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(there[:most], ", "), len(there)-most)
	}
	return strings.Join(there, ", ")
}

func printShowHelp(w io.Writer) {
	fmt.Fprint(w, `Show shows a report that was kept in JSON, in any format, as if it had been
measured now.

Usage: perfsuite show [flags] report.json

The file is a report of -format json, be it of the twelve workloads, of replay or
of scale; - is the standard input. The first line of a table says which, where and
when. With -run and -subjects a part of it is shown, means and ratios anew for
that part.

Flags:
`)
	printFlags(w, newShowSet(new(showFlags)))
	fmt.Fprint(w, `
Examples:
  perfsuite -native -count 5 -format json -o report.json
  perfsuite show report.json
  perfsuite show -format html -o report.html report.json
  perfsuite show -run 1,5 -subjects rb,native -base rb report.json
  xz -dc report.json.xz | perfsuite show -format bench -

Exit status: 0 shown, also if the report tells of failures; 1 it cannot be read or
written; 2 wrong command line.
`)
}
