package report

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func written(t *testing.T, write func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	r := sample()
	r.Results[4].Error = "child: said \"no\",\nand died"
	text := written(t, func(b *strings.Builder) error { return writeCSV(b, r) })
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	cell := func(row int, column string) string {
		i := slices.Index(rows[0], column)
		if i < 0 {
			t.Fatalf("no column %s", column)
		}
		return rows[row][i]
	}
	for _, c := range []struct {
		row          int
		column, want string
	}{
		{1, "test", "perf_11"}, {1, "subject", "goheap"}, {1, "first", "0.5"}, {1, "seconds", "0.4"},
		{1, "runs", "6"}, {1, "turns", "1"}, {1, "bytes", "20440000"}, {1, "peak_footprint", "1048576"},
		{1, "drop_seconds", "1e-09"}, {1, "error", ""}, {1, "date", "2026-05-04T03:02:01Z"}, {1, "cpu", "Abacus"}, {1, "scale", "1"},
		{2, "peak_rss", ""}, {3, "drop_seconds", ""},
		{5, "error", r.Results[4].Error}, {5, "seconds", ""},
	} {
		if got := cell(c.row, c.column); got != c.want {
			t.Errorf("row %d: %s is %q, want %q", c.row, c.column, got, c.want)
		}
	}
}

// benchSample has two turns of a subject with a difficult name beside a failure.
func benchSample() *Report {
	r := sample()
	r.Results = slices.Delete(r.Results, 1, 4)
	one := &r.Results[0]
	one.Subject, one.Runs = "native:my malloc/2", 12
	one.Turns = append(one.Turns, Turn{First: 0.7, Seconds: 0.45})
	r.Results[1].Error += "\nand more"
	return r
}

// TestBench reads the format with the library that benchstat reads it with.
func TestBench(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return writeBench(b, benchSample()) })
	in := benchfmt.NewReader(strings.NewReader(text), "x")
	var found []*benchfmt.Result
	for in.Scan() {
		one, ok := in.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v in\n%s", in.Result(), text)
		}
		found = append(found, one.Clone())
	}
	if in.Err() != nil || len(found) != 2 {
		t.Fatalf("%d lines, %v in\n%s", len(found), in.Err(), text)
	}
	for _, c := range []struct {
		line int
		unit string
		want float64
		ok   bool
	}{
		{0, "sec/op", 0.4, true}, {0, "first-sec/op", 0.5, true}, {0, "resident-B", 3 << 19, true},
		{0, "footprint-B", 1 << 20, true}, {0, "drop-sec/op", 1e-9, true},
		{1, "sec/op", 0.45, true}, {1, "first-sec/op", 0.7, true}, {1, "resident-B", 0, false},
	} {
		got, ok := found[c.line].Value(c.unit)
		if ok != c.ok || got < c.want*0.999999 || got > c.want*1.000001 {
			t.Errorf("line %d: %g %s, %v, want %g", c.line, got, c.unit, ok, c.want)
		}
	}
	if name := found[0].Name.String(); name != "Perf/test=perf_11/subject=native:my_malloc_2-2" || found[0].Iters != 6 {
		t.Errorf("name %s, %d runs", name, found[0].Iters)
	}
	for key, want := range map[string]string{"goos": "linux", "goarch": "amd64", "cpu": "Abacus", "scale": "1"} {
		if got := found[0].GetConfig(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if !strings.Contains(text, "--- FAIL: BenchmarkPerf/test=perf_12/subject=floor-2: child: signal: killed and more\n") {
		t.Errorf("the failure is missing:\n%s", text)
	}
}

func TestMeasures(t *testing.T) {
	turn := Turn{First: 1, Seconds: 2, PeakFootprint: bytesOf(3), PeakFirstRSS: bytesOf(4), PeakRSS: bytesOf(5), DropSeconds: new(6.0)}
	r := Result{First: 1, Seconds: 2, PeakFootprint: bytesOf(3), PeakFirstRSS: bytesOf(4), PeakRSS: bytesOf(5), DropSeconds: new(6.0)}
	medians := r.Medians()
	want := map[string]float64{"first": 1, "seconds": 2, "peak_footprint": 3, "peak_first_rss": 4, "peak_rss": 5, "drop_seconds": 6}
	if len(Measures()) != len(want) {
		t.Errorf("%d measures, want %d", len(Measures()), len(want))
	}
	for _, m := range Measures() {
		if found, ok := FindMeasure(m.Name); !ok || found.Head != m.Head {
			t.Errorf("FindMeasure(%q) = %q, %v", m.Name, found.Head, ok)
		}
		for _, x := range []*Turn{&turn, &medians} {
			if v, ok := m.Of(x); !ok || v != want[m.Name] {
				t.Errorf("%s is %g, %v, want %g", m.Name, v, ok, want[m.Name])
			}
		}
	}
	size, _ := FindMeasure("peak_rss")
	if got := size.Values([]Turn{turn, {}}); len(got) != 1 || size.Format(got[0]) != "5 B" {
		t.Errorf("values %v, and one of them is unknown", got)
	}
}
