package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

func bytesOf(n int64) *int64 { return &n }

// inTurns completes results with a turn each that gave just their numbers.
func inTurns(results []Result) []Result {
	for i := range results {
		r := &results[i]
		r.Turns = []Turn{{First: r.First, Seconds: r.Seconds, PeakFootprint: r.PeakFootprint, PeakFirstRSS: r.PeakFirstRSS, PeakRSS: r.PeakRSS, DropSeconds: r.DropSeconds}}
	}
	return results
}

// sample has a subject twice as fast as the base and one that failed.
func sample() *Report {
	counts := work.Counts{Allocs: 90_000, Frees: 90_000, Bytes: 20_440_000}
	return &Report{
		Header: Header{
			Machine: Machine{CPU: "Abacus", Cores: 2, Memory: 8 << 30, OS: "linux", Arch: "amd64"},
			Go:      "go1.26",
			Date:    time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
			Base:    "goheap", Count: 1, Runs: 6, Scale: 1,
			Subjects: []Subject{{Name: "goheap", Text: "Go's own"}, {Name: "modernc", Text: "another", Note: "it counts its footprint only sometimes"}},
		},
		Results: inTurns([]Result{
			{Test: "perf_11", Subject: "goheap", First: 0.5, Seconds: 0.4, Runs: 6, Counts: counts, PeakFootprint: bytesOf(1 << 20), PeakRSS: bytesOf(3 << 19), DropSeconds: new(1e-9)},
			{Test: "perf_11", Subject: "modernc", First: 0.3, Seconds: 0.2, Runs: 6, Counts: counts, DropSeconds: new(0.001)},
			{Test: "perf_12", Subject: "goheap", First: 0.5, Seconds: 0.2, Runs: 6, Counts: counts},
			{Test: "perf_12", Subject: "modernc", First: 0.3, Seconds: 0.4, Runs: 6, Counts: counts},
			{Test: "perf_12", Subject: "floor", First: 1, Seconds: 1, Runs: 6, Error: "child: signal: killed"},
		}),
	}
}

func TestJSONRoundTrip(t *testing.T) {
	want := sample()
	var b bytes.Buffer
	if err := writeJSON(&b, want); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got %+v\nwant %+v", got, *want)
	}
}

// TestJSONKeys fixes the names that readers rely on.
func TestJSONKeys(t *testing.T) {
	var b bytes.Buffer
	if err := writeJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	if err := json.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 6 {
		t.Fatalf("%d objects, want a header and 5 results", len(all))
	}
	for _, key := range []string{"machine", "go", "date"} {
		if _, ok := all[0][key]; !ok {
			t.Errorf("the header has no %q", key)
		}
	}
	keys := "test subject first seconds runs allocs reallocs frees bytes peak_footprint peak_first_rss peak_rss drop_seconds turns"
	for _, one := range all[1:] {
		for key := range strings.FieldsSeq(keys) {
			if _, ok := one[key]; !ok {
				t.Errorf("a result has no %q", key)
			}
		}
	}
	if all[2]["peak_rss"] != nil {
		t.Errorf("a size that is not known is %v", all[2]["peak_rss"])
	}
}

func TestJSONOfOthers(t *testing.T) {
	for _, text := range []string{`{}`, `[1]`, `[{"machine":{}},{"test":7}]`} {
		if err := json.Unmarshal([]byte(text), new(Report)); err == nil {
			t.Errorf("%s is taken for a report", text)
		}
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := writeTable(&b, sample()); err != nil {
		t.Fatal(err)
	}
	table := b.String()
	for _, want := range []string{
		"Abacus, 2 cores, 8.0 GiB memory, linux/amd64",
		"queue of 1,024 blocks",
		"90,000 allocs, 90,000 frees",
		"19.5 MiB asked for, no reallocs",
		"goheap  │    0.500 │     0.400 │  1.00 │   1.0 MiB │    1.5 MiB │ <0.000001 │       6",
		"modernc │    0.300 │     0.200 │  0.50 │         - │          - │   0.00100 │       6",
		"floor   │   failed │         - │     - ",
		"ERROR perf_12 floor: child: signal: killed",
		"modernc: it counts its footprint only",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if strings.Contains(table, "\x1b") {
		t.Error("the table has escape sequences")
	}
	checkWidth(t, table)
}

// checkWidth wants every line of the table to fit into 140 columns.
func checkWidth(t *testing.T, table string) {
	t.Helper()
	for line := range strings.Lines(table) {
		if n := len([]rune(strings.TrimSpace(line))); n > 140 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestTableMeans wants a mean over the two tests, 0.5 and 2, and none for the
// subject that has no ratio.
func TestTableMeans(t *testing.T) {
	r := sample()
	s := newRatios(r)
	if mean, tests := s.mean(r, "modernc"); tests != 2 || ratio(mean) != "1.00" {
		t.Errorf("modernc: %v over %d tests", mean, tests)
	}
	if _, tests := s.mean(r, "floor"); tests != 0 {
		t.Errorf("floor has %d ratios", tests)
	}
	row, ok := meanBlock(r, s)
	if !ok || row[1] != "goheap\nmodernc" || row[8] != "tests 2\ntests 2" {
		t.Errorf("row of means %q", row)
	}
}

func TestTableWithoutBase(t *testing.T) {
	r := sample()
	r.Header.Base = "floor"
	var b bytes.Buffer
	if err := writeTable(&b, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "geometric mean") {
		t.Error("means of ratios to a base that failed")
	}
}

func TestTableSaysWhatIsMissing(t *testing.T) {
	r := sample()
	r.Header.Scale, r.Header.Interrupted = 10, true
	text := r.intro()
	for _, want := range []string{"QUICK", "1/10", "INTERRUPTED"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{seconds(0), "<0.000001"},
		{seconds(0.0000012345), "0.000001"},
		{seconds(0.012345), "0.0123"},
		{seconds(1.2345), "1.23"},
		{seconds(12.345), "12.3"},
		{seconds(1234.5), "1234"},
		{ratio(1), "1.00"},
		{ratio(0.123), "0.12"},
		{ratio(0.0123), "0.012"},
		{ratio(0.000123), "0.00012"},
		{ratio(12.345), "12.3"},
		{size(0), "0 B"},
		{size(1023), "1023 B"},
		{size(1536), "1.5 KiB"},
		{size(5 << 40), "5.0 TiB"},
		{size(5 << 50), "5120.0 TiB"},
		{optional(nil), "-"},
		{optionalSeconds(nil), "-"},
		{number(0), "0"},
		{number(999), "999"},
		{number(1000), "1,000"},
		{number(1234567), "1,234,567"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestThisMachine(t *testing.T) {
	m := ThisMachine()
	if m.Cores < 1 || m.OS == "" || m.Arch == "" {
		t.Errorf("%+v", m)
	}
	if m.OS == "linux" && m.Memory == 0 {
		t.Error("no memory size on Linux")
	}
}

func TestFormats(t *testing.T) {
	for _, f := range Formats() {
		if got, ok := FindFormat(f.Name); !ok || got.Name != f.Name {
			t.Errorf("FindFormat(%q) = %v, %v", f.Name, got.Name, ok)
		}
	}
	if _, ok := FindFormat("poem"); ok {
		t.Error("FindFormat knows poem")
	}
}
