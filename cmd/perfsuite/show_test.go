package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
)

// keep writes a report of stand-ins for turns, in JSON, and returns it with the
// name of the file.
func keep(t *testing.T, change func(*report.Report)) (r *report.Report, file string) {
	t.Helper()
	s := &script{answer: func(o turn.Order) (*turn.Outcome, error) {
		return outcome(0.5, float64(o.Test+1)*float64(len(o.Subject))), nil
	}}
	r = runScript(t, t.Context(), s, "-run", "3,4,5", "-subjects", "rb,goheap,floor", "-count", "2")
	change(r)
	file = filepath.Join(t.TempDir(), "kept.json")
	json, _ := report.FindFormat("json")
	if err := write(json, file, r); err != nil {
		t.Fatal(err)
	}
	return r, file
}

func unchanged(*report.Report) {}

// TestShow wants of each kind of report what measuring it in that format would
// have written.
func TestShow(t *testing.T) {
	for name, change := range map[string]func(*report.Report){
		"perfsuite":        unchanged,
		"perfsuite replay": func(r *report.Report) { r.Header.Streams = true },
		"perfsuite scale":  func(r *report.Report) { r.Header.Crowds = true },
	} {
		r, file := keep(t, change)
		for _, f := range report.Formats() {
			if r.Header.Crowds && f.Name != "table" && f.Name != "json" {
				continue
			}
			var want strings.Builder
			if err := f.Write(&want, r); err != nil {
				t.Fatal(err)
			}
			out, errs, status := perfsuite(t, "show", "-format", f.Name, file)
			if status != 0 || errs != "" || out != want.String() {
				t.Errorf("%s, %s: status %d, %q on stderr,\n%s\nwant\n%s", name, f.Name, status, errs, out, want.String())
			}
			if f.Name == "table" && !strings.HasPrefix(out, name+" 2") {
				t.Errorf("the table begins with %.40q, want %q", out, name)
			}
		}
	}
}

// TestShowWhatWasMeasured goes the whole way, over the standard input and a file.
func TestShowWhatWasMeasured(t *testing.T) {
	json, errs, status := perfsuite(t, "replay", "-subjects", "rb,floor", "-format", "json", newStream(t, "one.ckms"))
	if status != 0 {
		t.Fatalf("status %d, %q", status, errs)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	c := exec.Command(binary, "show", "-format", "html", "-o", file, "-")
	c.Stdin = strings.NewReader(json)
	if out, err := c.CombinedOutput(); err != nil || len(out) != 0 {
		t.Fatalf("%v, %q", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "<h1>perfsuite replay</h1>") || !strings.Contains(string(text), "one.ckms") {
		t.Errorf("%v, %s", err, text)
	}
}

func TestShowPart(t *testing.T) {
	_, file := keep(t, func(r *report.Report) {
		r.Results[2].Test, r.Results[2].Subject = "perf_3", "native:glibc"
	})
	for _, c := range []struct{ args, want, lacks string }{
		{"-run 3,perf_5", "perf_3 perf_5", "perf_4"},
		{"-run perf_[34]", "perf_3 perf_4", "perf_5"},
		{"-subjects rb,floor", "│ rb │ floor mean of the ratios to rb", "goheap"},
		{"-subjects floor,rb -base rb", "ratios to rb", "goheap"},
		{"-base floor", "ratios to floor", "ratios to goheap"},
		{"-subjects native,rb -run 3", "native:glibc", "floor"},
	} {
		out, errs, status := perfsuite(t, append(append([]string{"show"}, strings.Fields(c.args)...), file)...)
		if status != 0 || errs != "" || strings.Contains(out, c.lacks) {
			t.Errorf("%s: status %d, %q on stderr, want no %s in\n%s", c.args, status, errs, c.lacks, out)
		}
		for word := range strings.FieldsSeq(c.want) {
			if !strings.Contains(out, word) {
				t.Errorf("%s: no %q in\n%s", c.args, word, out)
			}
		}
	}
}

func TestShowUsage(t *testing.T) {
	_, file := keep(t, unchanged)
	_, scale := keep(t, func(r *report.Report) { r.Header.Crowds = true })
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
		{nil, exitUsage, "one report"},
		{[]string{file, file}, exitUsage, "2 arguments"},
		{[]string{"-format", "poem", file}, exitUsage, "valid are table, json"},
		{[]string{"-run", "6", file}, exitUsage, `no test "6"; valid are perf_3, perf_4, perf_5`},
		{[]string{"-run", "(", file}, exitUsage, `no test "("`},
		{[]string{"-subjects", "avl", file}, exitUsage, `no subject "avl"; valid are rb, goheap, floor`},
		{[]string{"-subjects", "native", file}, exitUsage, `no subject "native"`},
		{[]string{"-base", "avl", file}, exitUsage, `"avl" is not among the subjects`},
		{[]string{"-base", "rb", "-subjects", "floor", file}, exitUsage, "valid are floor"},
		{[]string{"-count", "2", file}, exitUsage, "-count"},
		{[]string{"-format", "html", scale}, exitUsage, `is a report of perfsuite scale and has no format "html"; valid are table, json`},
		{[]string{text}, exitFailed, "text: not a report in JSON"},
		{[]string{"-"}, exitFailed, "-: not a report in JSON"},
		{[]string{dir}, exitFailed, "directory"},
		{[]string{filepath.Join(dir, "absent")}, exitFailed, "absent"},
		{[]string{"-o", filepath.Join(dir, "no", "file"), file}, exitFailed, "no"},
	} {
		out, errs, status := perfsuite(t, append([]string{"show"}, c.args...)...)
		if status != c.status || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.say) {
			t.Errorf("%v: status %d, %q, %q on stderr, want %q", c.args, status, out, errs, c.say)
		}
	}
}

// TestShowOfNothing is what an interrupt in the first turn leaves.
func TestShowOfNothing(t *testing.T) {
	_, file := keep(t, func(r *report.Report) { r.Results, r.Header.Interrupted = nil, true })
	out, errs, status := perfsuite(t, "show", file)
	if status != 0 || errs != "" || !strings.Contains(out, "INTERRUPTED") {
		t.Errorf("status %d, %q on stderr,\n%s", status, errs, out)
	}
	if _, errs, status = perfsuite(t, "show", "-run", "3", file); status != exitUsage || !strings.Contains(errs, "it is empty") {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
}
