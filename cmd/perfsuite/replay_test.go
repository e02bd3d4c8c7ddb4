package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/stream"
)

// newStream writes a small stream of all kinds of events into a file.
func newStream(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := stream.NewWriter(f, "a small test")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		slot := w.Alloc(i, 0)
		w.Realloc(slot, 2*i)
		w.Zeroed(i)
		w.Alloc(i, 64)
		w.Free(slot)
		if i == 500 {
			w.Reset()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	_, errs, status := perfsuite(t, "replay", "-format", "json", "-o", file, newStream(t, "one.ckms"))
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	r := readReport(t, file)
	if len(r.Results) != len(subject.Usual()) {
		t.Fatalf("%d results", len(r.Results))
	}
	for _, one := range r.Results {
		if one.Test != "one.ckms" || one.Allocs != 3000 || one.Reallocs != 1000 || one.Frees != 3000 || one.Seconds <= 0 || one.Error != "" {
			t.Errorf("%+v", one)
		}
	}
}

// TestReplayTable plays three streams of one name, two of which are the same file.
func TestReplayTable(t *testing.T) {
	one, two := newStream(t, "same.ckms"), newStream(t, "same.ckms")
	out, errs, status := perfsuite(t, "replay", "-subjects", "rb,floor", "-base", "floor", one, two, two)
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	for _, want := range []string{"same.ckms", "a small test; at most", "1,000 reallocs", "geometric mean of the ratios to floor", "tests 3"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
}

func TestReplayNonsense(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("no stream"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"damaged stream": {"replay", "-subjects", "rb", file},
		"absent":         {"replay", "-subjects", "rb", filepath.Join(t.TempDir(), "absent")},
	} {
		out, errs, status := perfsuite(t, args...)
		if status != exitFailed || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q on stderr", args, status, out, errs)
		}
	}
	for _, args := range [][]string{{"replay"}, {"replay", "-quick", file}, {"replay", "-subjects", "nobody", file}} {
		if out, errs, status := perfsuite(t, args...); status != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q on stderr", args, status, out, errs)
		}
	}
}

// TestReplayOfAHostileSource has a description that would colour a terminal and break
// the table.
func TestReplayOfAHostileSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one\x1b.ckms")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := stream.NewWriter(f, "red \x1b[31m\nand\x00 \xff\u202e more")
	if err != nil {
		t.Fatal(err)
	}
	w.Alloc(10, 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"table", "csv", "svg", "json"} {
		out, errs, status := perfsuite(t, "replay", "-format", format, "-subjects", "rb", path)
		if status != 0 || errs != "" || !strings.Contains(out, "one\uFFFD.ckms") || strings.ContainsAny(out, "\x1b\x00\u202e") {
			t.Errorf("%s: status %d, %q on stderr, %q", format, status, errs, out)
		}
	}
}

// TestFloorIsLeftOut gives a stream that asks for more than the floor can have.
func TestFloorIsLeftOut(t *testing.T) {
	c, err := parseConfig([]string{"-subjects", "rb,floor"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.dropFloor(floorMost + 1); err != nil || len(c.subjects) != 1 || len(c.problems) != 1 {
		t.Errorf("%d subjects, %v, error %v", len(c.subjects), c.problems, err)
	}
	if c, err = parseConfig([]string{"-subjects", "rb,floor", "-base", "floor"}); err != nil {
		t.Fatal(err)
	}
	if err := c.dropFloor(floorMost + 1); err == nil {
		t.Error("the base may be missing")
	}
}
