package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
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

// TestHelpHelp asks for help in all ways that come to mind.
func TestHelpHelp(t *testing.T) {
	want, _, _ := perfsuite(t, "-h")
	for _, args := range [][]string{{"help"}, {"help", "-h"}, {"help", "--help"}, {"--help"}, {"-help"}, {"help", "help"}} {
		if out, errs, status := perfsuite(t, args...); out != want || errs != "" || status != 0 {
			t.Errorf("%q: status %d, %q on stderr,\n%s", args, status, errs, out)
		}
	}
	if _, errs, status := perfsuite(t, "help", "scale", "window"); status != exitUsage || !strings.Contains(errs, "2 arguments") {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
}

// TestHelpFits wants no line that a terminal of 100 columns would break.
func TestHelpFits(t *testing.T) {
	for _, c := range commands() {
		out, _, _ := perfsuite(t, "help", c.name)
		for line := range strings.Lines(out) {
			if n := len([]rune(line)); n > 100 {
				t.Errorf("help %s has a line of %d columns: %s", c.name, n, line)
			}
		}
	}
	compare, _, _ := perfsuite(t, "help", "compare")
	for _, m := range report.Measures() {
		if !strings.Contains(compare, m.Name) {
			t.Errorf("the help of compare lacks %s", m.Name)
		}
	}
}

// TestFlagsBehindFiles wants a word about the order, and that a file may be called so.
func TestFlagsBehindFiles(t *testing.T) {
	for _, args := range [][]string{{"replay", "x.ckms", "-count", "2"}, {"show", "x.json", "-format", "svg"}, {"compare", "a.json", "b.json", "-alpha", "0.1"}} {
		if _, errs, status := perfsuite(t, args...); status != exitUsage || !strings.Contains(errs, "flags come first") {
			t.Errorf("%q: status %d, %q on stderr", args, status, errs)
		}
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("-odd", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, status := perfsuite(t, "show", "--", "-odd"); status != exitFailed || !strings.Contains(errs, "not a report") {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
}

// TestErrorsAreLines has names of files that would break a line or colour it.
func TestErrorsAreLines(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "no\nsuch\x1b[31m")
	for _, args := range [][]string{{"replay", odd}, {"show", odd}, {"compare", odd, odd}, {"-o", filepath.Join(odd, "x")}, {"window", "-o", filepath.Join(odd, "x")}, {"-\x1b"}, {"-run", odd}, {"-subjects", odd}} {
		if out, errs, status := perfsuite(t, args...); status == 0 || out != "" || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "\x1b") {
			t.Errorf("%q: status %d, %q, %q on stderr", args, status, out, errs)
		}
	}
}

// TestFullDisk wants no output to be lost in silence.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is always full here")
	}
	defer full.Close()
	_, kept := keep(t, unchanged)
	for _, args := range [][]string{{"-h"}, {"help", "show"}, {"-list"}, {"show", kept}, {"compare", kept, kept}, {"-quick", "-run", "12", "-subjects", "rb"}} {
		var errs strings.Builder
		c := exec.Command(binary, args...)
		c.Stdout, c.Stderr = full, &errs
		if err := c.Run(); c.ProcessState.ExitCode() != exitFailed || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: %v, %q on stderr", args, err, errs.String())
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
