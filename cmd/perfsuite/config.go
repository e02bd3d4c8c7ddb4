package main

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/native"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

const (
	defaultBase = "goheap" // what a Go program has if it does nothing

	quickScale = 10 // divides the streams under -quick
)

// config is what the command line asks for.
type config struct {
	tests    []work.Test
	streams  []job             // to play instead of the tests
	known    []subject.Subject // that can be had
	subjects []subject.Subject // to compare
	problems []error           // why a subject that was asked for cannot be had
	base     string
	count    int // turns
	scale    int // divides the streams
	format   report.Format
	output   string // file, or empty for the standard output
	profile  string // file for CPU profiles, or empty for none
	list     bool
}

// turns returns how many turns there are in all.
func (c *config) turns() int { return len(c.jobs()) * len(c.subjects) * c.count }

// program returns what to start for a turn on a subject.
func (c *config) program(name string) subject.Program {
	i := slices.IndexFunc(c.subjects, named(name))
	return c.subjects[i].Program
}

// rawFlags are the flags before they are understood.
type rawFlags struct {
	run, subjects, base, format, output, profile string
	count                                        int
	quick, list, native                          bool
	preloads                                     []native.Preload
}

func newFlagSet(f *rawFlags) *flag.FlagSet {
	set := newSet("perfsuite")
	f.addCommon(set)
	set.StringVar(&f.run, "run", "", "the `tests` to run: a comma list of names or numbers (perf_1,5,10) or of\nregular expressions that match a whole name (perf_1.); default all")
	set.BoolVar(&f.quick, "quick", false, fmt.Sprintf("a look in about 15 seconds: streams cut to 1/%d", quickScale))
	set.BoolVar(&f.list, "list", false, "name the tests and subjects and exit")
	return set
}

// addCommon adds the flags that replay has too.
func (f *rawFlags) addCommon(set *flag.FlagSet) {
	f.addSubjects(set)
	set.StringVar(&f.base, "base", "", "the `subject` that ratios refer to; default "+defaultBase+", or the first of\n-subjects where that is not among them")
	set.StringVar(&f.format, "format", report.Formats()[0].Name, "the `format` of the report: "+formatNames())
	set.StringVar(&f.profile, "cpuprofile", "", "the `file` for a CPU profile of each turn, which then goes on for 3 seconds after\nits timed runs; with several turns test, subject and turn become part of the name")
}

// addSubjects adds the flags that all measurements have.
func (f *rawFlags) addSubjects(set *flag.FlagSet) {
	set.StringVar(&f.subjects, "subjects", "", "the `heaps` to compare, a comma list; native stands for all of -native;\ndefault all")
	set.BoolVar(&f.native, "native", false, "compare with malloc too: the same in C++ with glibc, jemalloc, mimalloc and\ntcmalloc, as native:glibc and so on, as far as they are there; needs a C++\ncompiler, Linux and libstdc++")
	set.Func("preload", "with -native, compare with the malloc of a library too, as native:name, given\nas `name=path.so`; may be given again", f.addPreload)
	set.IntVar(&f.count, "count", 1, "`turns` of each test and subject; the report gives their median")
	set.StringVar(&f.output, "o", "", "the `file` to write the report to; default the standard output")
}

// parseConfig understands the command line. Its errors are one line long and
// name what would have been valid; flag.ErrHelp asks for the help.
func parseConfig(args []string) (*config, error) {
	var f rawFlags
	set := newFlagSet(&f)
	if err := parseArgs(set, args); err != nil {
		return nil, err
	}
	if set.NArg() != 0 {
		return nil, usagef("unexpected argument %q; perfsuite -h names the flags", set.Arg(0))
	}
	c, err := f.config()
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

func (f *rawFlags) config() (*config, error) {
	c := &config{count: f.count, scale: 1, output: f.output, profile: f.profile, list: f.list}
	if f.quick {
		c.scale = quickScale
	}
	if f.count < 1 {
		return nil, fmt.Errorf("-count %d: there must be a turn", f.count)
	}
	var ok bool
	if c.format, ok = report.FindFormat(f.format); !ok {
		return nil, fmt.Errorf("unknown format %q; valid are %s", f.format, formatNames())
	}
	var err error
	if c.tests, err = findTests(f.run); err != nil {
		return nil, err
	}
	return c, f.chooseSubjects(c)
}

// findTests returns the tests that any item of the comma list names, in their
// own order and once each.
func findTests(list string) ([]work.Test, error) {
	if list == "" {
		return work.Tests(), nil
	}
	chosen := map[work.Test]bool{}
	for _, item := range items(list) {
		found := matchTests(item)
		if len(found) == 0 {
			return nil, fmt.Errorf("unknown test %q; valid are %s", item, testNames())
		}
		for _, t := range found {
			chosen[t] = true
		}
	}
	return slices.DeleteFunc(work.Tests(), func(t work.Test) bool { return !chosen[t] }), nil
}

func matchTests(item string) []work.Test {
	if t, ok := work.Parse(item); ok {
		return []work.Test{t}
	}
	re, err := regexp.Compile("^(?:perf_)?(?:" + item + ")$")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(work.Tests(), func(t work.Test) bool { return !re.MatchString(t.String()) })
}

// items cuts a comma list.
func items(list string) []string {
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

func testNames() string {
	var names []string
	for _, t := range work.Tests() {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ") + ", or their numbers"
}

func formatNames() string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
