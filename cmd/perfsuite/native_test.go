package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
)

// needNative skips a test where no twin can be compiled.
func needNative(t *testing.T) {
	t.Helper()
	t.Setenv("CXX", "")
	for _, name := range []string{"c++", "g++", "clang++"} {
		if _, err := exec.LookPath(name); err == nil && runtime.GOOS == "linux" {
			return
		}
	}
	t.Skip("no native twin without Linux and a C++ compiler")
}

func TestNativeTable(t *testing.T) {
	needNative(t)
	out, errs, status := perfsuite(t, "-native", "-quick", "-run", "12", "-subjects", "rb,native:glibc", "-base", "native:glibc")
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	for _, want := range []string{"native:glibc │", "rb as a multiple of the best native", "geometric mean of the ratios to native:glibc", "\nnative:glibc: "} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
}

func TestNativeJSON(t *testing.T) {
	needNative(t)
	file := filepath.Join(t.TempDir(), "report.json")
	if out, errs, status := perfsuite(t, "-native", "-quick", "-run", "5", "-subjects", "native:glibc,floor", "-format", "json", "-o", file); status != 0 || out != "" || errs != "" {
		t.Errorf("status %d, %q on stdout, %q on stderr", status, out, errs)
	}
	r := readReport(t, file)
	if len(r.Results) != 2 || len(r.Header.Subjects) != 2 || r.Header.Subjects[0].Note == "" {
		t.Fatalf("%+v", r)
	}
	twin, floor := r.Results[0], r.Results[1]
	if twin.Subject != "native:glibc" || twin.Error != "" || twin.Seconds <= 0 || twin.PeakRSS == nil || twin.DropSeconds != nil || twin.Counts != floor.Counts {
		t.Errorf("%+v beside %+v", twin, floor)
	}
}

// TestNativeAbsent wants one line about it and the rest of the table.
func TestNativeAbsent(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	out, errs, status := perfsuite(t, "-native", "-quick", "-run", "12", "-subjects", "floor,native", "-base", "native:glibc")
	if status != 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no native subjects: ") {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	if !strings.Contains(out, "geometric mean of the ratios to floor") || strings.Contains(out, "native") {
		t.Errorf("table\n%s", out)
	}
}

func TestNothingLeft(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	out, errs, status := perfsuite(t, "-native", "-quick", "-subjects", "native:glibc")
	if status != exitFailed || out != "" || strings.Count(errs, "\n") != 2 || !strings.Contains(errs, "none of the subjects is there") {
		t.Errorf("status %d, %q, %q on stderr", status, out, errs)
	}
}

func TestNativeList(t *testing.T) {
	needNative(t)
	out, _, status := perfsuite(t, "-native", "-list")
	if status != 0 || !strings.Contains(out, "\nnative:glibc ") || !strings.Contains(out, "\nrb ") {
		t.Errorf("status %d, list\n%s", status, out)
	}
}

// TestNativeNotAsked wants no compiler to be looked for when no native subject is
// to be compared.
func TestNativeNotAsked(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	c, err := parseConfig([]string{"-native", "-subjects", "rb,floor"})
	if err != nil || len(c.problems) != 0 || subjectNames(c.subjects) != "rb, floor" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestParseNativeErrors(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	for _, c := range []struct{ args, wants string }{
		{"-subjects rb,native", `"native" rb, goheap, -native`},
		{"-subjects native:glibc", `"native:glibc" -native`},
		{"-native -subjects rb,native:nobody", `"native:nobody" rb, native:glibc, native:jemalloc,`},
		{"-native -preload x=y -subjects native:z", `"native:z" native:x`},
		{"-native -subjects rb -base native:glibc", `"native:glibc" rb`},
		{"-preload x=y", `-native`},
		{"-native -preload x", `name=path`},
		{"-native -preload glibc=y", `glibc`},
		{"-native -preload x=y -preload x=z", `already`},
	} {
		_, err := parseConfig(strings.Fields(c.args))
		if !errors.As(err, new(usageError)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", c.args, err)
			continue
		}
		for want := range strings.FieldsSeq(c.wants) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %s", c.args, err, want)
			}
		}
	}
}

func TestProgramOfSubject(t *testing.T) {
	c := &config{subjects: []subject.Subject{{Name: "rb"}, {Name: "native:x", Program: subject.Program{Path: "twin"}}}}
	if c.program("rb").Path != "" || c.program("native:x").Path != "twin" {
		t.Errorf("%+v, %+v", c.program("rb"), c.program("native:x"))
	}
}

// TestInterruptedCompile stops perfsuite while a compiler, and what that has started,
// is at work.
func TestInterruptedCompile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no native twin without Linux")
	}
	dir := t.TempDir()
	compiler, started, cache := filepath.Join(dir, "cxx"), filepath.Join(dir, "started"), filepath.Join(dir, "cache")
	text := "#!/bin/sh\n[ \"$1\" = --version ] && exec echo slow\n: >" + started + "\nsleep 20\n"
	if err := os.WriteFile(compiler, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CXX", compiler)
	t.Setenv("XDG_CACHE_HOME", cache)
	var errs strings.Builder
	c := exec.Command(binary, "-native", "-quick", "-subjects", "native:glibc")
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, started)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if status := c.ProcessState.ExitCode(); status != exitInterrupted || errs.String() != "perfsuite: interrupted\n" {
		t.Errorf("status %d, %q on stderr", status, errs.String())
	}
	wantEmpty(t, filepath.Join(cache, "cookmem-perfsuite"))
}
