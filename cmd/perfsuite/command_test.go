package main

import (
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct{ args, name, rest string }{
		{"", "", ""},
		{"-quick help", "", "-quick help"},
		{"help -h x", "help", "-h x"},
	} {
		got, rest, err := choose(strings.Fields(c.args))
		if err != nil || got.name != c.name || strings.Join(rest, " ") != c.rest {
			t.Errorf("%q: command %q, rest %q, %v", c.args, got.name, rest, err)
		}
	}
}

// TestUnknownCommand wants one line with the word and all valid ones, and the
// status of a wrong command line.
func TestUnknownCommand(t *testing.T) {
	for _, args := range [][]string{{"perf_1"}, {""}, {"help", "perf_1"}} {
		out, errs, status := perfsuite(t, args...)
		if status != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: status %d, %q, %q on stderr", args, status, out, errs)
		}
		for _, c := range commands() {
			if !strings.Contains(errs, c.name) {
				t.Errorf("%q does not name %s", errs, c.name)
			}
		}
	}
}

func TestCommandsHelp(t *testing.T) {
	general, _, _ := perfsuite(t, "-h")
	for _, c := range commands() {
		if !strings.Contains(general, "\n  "+c.name+" ") {
			t.Errorf("the help lacks the command %s", c.name)
		}
		long, errs, status := perfsuite(t, "help", c.name)
		if long == "" || errs != "" || status != 0 {
			t.Errorf("help %s: status %d, %q, %q on stderr", c.name, status, long, errs)
		}
		if c.name == "help" {
			continue
		}
		if short, _, status := perfsuite(t, c.name, "-h"); short != long || status != 0 {
			t.Errorf("%s -h: status %d, %q, want %q", c.name, status, short, long)
		}
	}
}

func TestParseArgs(t *testing.T) {
	if err := parseArgs(newSet("x"), []string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v for -h", err)
	}
	if err := parseArgs(newSet("x"), []string{"-nonsense"}); !errors.As(err, new(usageError)) {
		t.Errorf("error %v for a flag that is not there", err)
	}
	set := newSet("x")
	if err := parseArgs(set, []string{"a", "b"}); err != nil || set.NArg() != 2 {
		t.Errorf("%v, arguments %q", err, set.Args())
	}
}
