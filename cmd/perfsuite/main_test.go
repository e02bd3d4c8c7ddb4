package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "perfsuite")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "perfsuite.exe")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	// The compiled twin goes there too, and not into the user's cache. go build is
	// done by now; it keeps its own cache below the same variable.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// perfsuite runs the program to its end.
func perfsuite(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.Command(binary, args...)
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

func TestTableInAPipe(t *testing.T) {
	out, errs, status := perfsuite(t, "-quick", "-run", "perf_12", "-subjects", "floor,modernc")
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	for _, want := range []string{"QUICK", "perf_12", "9,000 allocs, 9,000 frees", "geometric mean of the ratios to floor"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("the table has escape sequences")
	}
}

func TestJSONIntoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, bytes.Repeat([]byte("old"), 1<<16), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, status := perfsuite(t, "-quick", "-run", "3,12", "-format", "json", "-o", file, "-count", "2")
	if status != 0 || out != "" || errs != "" {
		t.Errorf("status %d, %q on stdout, %q on stderr", status, out, errs)
	}
	r := readReport(t, file)
	c, err := parseConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 2*len(c.subjects) || r.Header.Scale != quickScale || r.Header.Go != runtime.Version() {
		t.Errorf("%+v", r)
	}
	for _, one := range r.Results {
		if one.Error != "" || one.First <= 0 || one.Seconds <= 0 || len(one.Turns) != 2 || one.Runs != 12 || one.Allocs == 0 {
			t.Errorf("%+v", one)
		}
	}
}

func readReport(t *testing.T, file string) (r report.Report) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-run", "perf_99"},
		{"-subjects", "nobody"},
		{"-format", "poem"},
		{"-no-such-flag"},
	} {
		out, errs, status := perfsuite(t, args...)
		if status != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q on stderr", args, status, out, errs)
		}
	}
}

func TestHelpAndList(t *testing.T) {
	for _, flag := range []string{"-h", "-list"} {
		out, errs, status := perfsuite(t, flag)
		if status != 0 || out == "" || errs != "" {
			t.Errorf("%s: status %d, %q, %q on stderr", flag, status, out, errs)
		}
	}
}

func TestOutputThatCannotBe(t *testing.T) {
	out, errs, status := perfsuite(t, "-o", filepath.Join(t.TempDir(), "no", "file"))
	if status != exitFailed || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q, %q on stderr", status, out, errs)
	}
}

// TestInterrupt stops the program in its first turn, the longest there is, and
// expects a report without a result.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupt can be sent to a process here")
	}
	file := filepath.Join(t.TempDir(), "report.json")
	c := exec.Command(binary, "-run", "10", "-subjects", "goheap", "-format", "json", "-o", file)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, file)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if status := c.ProcessState.ExitCode(); status != exitInterrupted {
		t.Errorf("status %d", status)
	}
	r := readReport(t, file)
	if !r.Header.Interrupted || len(r.Results) != 0 {
		t.Errorf("%+v", r)
	}
}

// waitFor waits until the program has tried its output file, which it does when
// it is ready for an interrupt.
func waitFor(t *testing.T, file string) {
	t.Helper()
	for range 1000 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program did not start")
}
