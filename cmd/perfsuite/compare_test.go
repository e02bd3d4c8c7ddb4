package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompareWithItself measures once and compares the file with itself, in
// which nothing may have changed.
func TestCompareWithItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	if _, errs, status := perfsuite(t, "-quick", "-run", "12", "-subjects", "floor,goheap", "-format", "json", "-o", file, "-count", "2"); status != 0 {
		t.Fatalf("status %d, %q", status, errs)
	}
	out, errs, status := perfsuite(t, "compare", "-measure", "all", file, file+","+file)
	if status != 0 || errs != "" {
		t.Fatalf("status %d, %q on stderr", status, errs)
	}
	for _, want := range []string{"QUICK", "steady, s: ", "footprint: ", "0 better, 0 worse, 2 noise", "TOO FEW TURNS", "│ noise"} {
		if !strings.Contains(out, want) {
			t.Errorf("the comparison lacks %q:\n%s", want, out)
		}
	}
}

func TestCompareUsage(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("BenchmarkX 1 1 ns/op"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		say    string
	}{
		{nil, exitUsage, "two reports"},
		{[]string{"a", "b", "c"}, exitUsage, "3 arguments"},
		{[]string{"-measure", "weight", "a", "b"}, exitUsage, "valid are seconds, first, "},
		{[]string{"-alpha", "1", "a", "b"}, exitUsage, "-alpha"},
		{[]string{"-alpha", "NaN", "a", "b"}, exitUsage, "-alpha"},
		{[]string{"-beta", "a", "b"}, exitUsage, "-beta"},
		{[]string{text, text}, exitFailed, "not a report in JSON"},
		{[]string{filepath.Join(dir, "no"), text}, exitFailed, "no"},
	} {
		out, errs, status := perfsuite(t, append([]string{"compare"}, c.args...)...)
		if status != c.status || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.say) {
			t.Errorf("%v: status %d, %q, %q on stderr", c.args, status, out, errs)
		}
	}
}
