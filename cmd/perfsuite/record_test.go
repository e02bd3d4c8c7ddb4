package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/shim"
	"github.com/cookmem-go/cookmem/stream"
)

// canRecord skips the test where native programs cannot be recorded.
func canRecord(t *testing.T) {
	t.Helper()
	if _, err := shim.Build(t.TempDir()); errors.Is(err, shim.ErrSystem) || errors.Is(err, shim.ErrCompiler) {
		t.Skip(err)
	}
}

// TestRecord records what a shell has its commands do.
func TestRecord(t *testing.T) {
	canRecord(t)
	file := filepath.Join(t.TempDir(), "sort.ckms")
	out, errs, status := perfsuite(t, "record", "-o", file, "-source", "two lines sorted", "-program", "sort", "--", "sh", "-c", "printf 'b\\na\\n' | sort; exit 4")
	if out != "a\nb\n" || status != exitFailed {
		t.Errorf("status %d, %q on stdout", status, out)
	}
	for _, want := range []string{"/sort, process", "allocs", "exit status 4"} {
		if !strings.Contains(errs, want) {
			t.Errorf("stderr lacks %q:\n%s", want, errs)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := stream.NewReader(f)
	if err != nil || r.Source() != "two lines sorted" {
		t.Fatalf("source %q, error %v", r.Source(), err)
	}
}

func TestRecordNothing(t *testing.T) {
	canRecord(t)
	file := filepath.Join(t.TempDir(), "x.ckms")
	for want, args := range map[string][]string{
		"nothing was recorded": {"record", "-o", file, "--", binary, "help"}, // Go has no malloc
		`called "nobody"`:      {"record", "-o", file, "-program", "nobody", "--", "sort", os.DevNull},
		"absent":               {"record", "-o", file, "--", filepath.Join(t.TempDir(), "absent")},
	} {
		_, errs, status := perfsuite(t, args...)
		if status != exitFailed || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q on stderr, want %q", args, status, errs, want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%v: a file was left", args)
		}
	}
}

// TestRecordedInterrupt wants an interrupt to end the command, which it would not if
// the command had inherited that it is ignored.
func TestRecordedInterrupt(t *testing.T) {
	canRecord(t)
	file := filepath.Join(t.TempDir(), "x.ckms")
	out, errs, status := perfsuite(t, "record", "-o", file, "--", "sh", "-c", "sort "+os.DevNull+"; kill -INT $$; echo survived")
	if out != "" || status != exitFailed || !strings.Contains(errs, "interrupt") {
		t.Errorf("status %d, %q, %q on stderr", status, out, errs)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("nothing was kept: %v", err)
	}
}

// TestRecordInASpacedFolder has temporary files where nothing can be preloaded from.
func TestRecordInASpacedFolder(t *testing.T) {
	canRecord(t)
	dir := filepath.Join(t.TempDir(), "a folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	_, errs, status := perfsuite(t, "record", "-o", filepath.Join(dir, "x.ckms"), "--", "sort", os.DevNull)
	if status != exitFailed || !strings.Contains(errs, "set TMPDIR") || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	wantEmpty(t, dir)
}

func TestRecordUsage(t *testing.T) {
	for _, args := range [][]string{
		{"record", "sort"},
		{"record", "-o", "x.ckms"},
		{"record", "-what", "sort"},
	} {
		out, errs, status := perfsuite(t, args...)
		if status != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q on stderr", args, status, out, errs)
		}
	}
}
