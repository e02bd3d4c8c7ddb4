package report

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// crowds has ours beside two native subjects at two numbers of blocks. One of
// them is the better one at first and fails later.
func crowds() *Report {
	r := sample()
	r.Header.Crowds = true
	one := func(live int64, subject string, fill, replace, free float64, rss *int64) Result {
		c := &Crowd{Live: live, Fill: fill * 1e-9, Replace: replace * 1e-9, Free: free * 1e-9}
		return Result{Test: "live_" + number(live), Text: "blocks", Subject: subject, First: 1, Seconds: 1, Runs: 1, Crowd: c, PeakFirstRSS: rss, PeakRSS: rss}
	}
	r.Results = inTurns([]Result{
		one(1000, "rb", 10, 20, 5, bytesOf(100_000)),
		one(1000, "native:a", 20, 10, 10, bytesOf(50_000)),
		one(1000, "native:b", 5, 80, 10, nil),
		one(2000, "rb", 12, 123, 6, bytesOf(96_000)),
		one(2000, "native:a", 24, 246, 6, bytesOf(96_000)),
		{Test: "live_2,000", Text: "blocks", Subject: "native:b", Error: "child: killed"},
	})
	r.Results[0].DropSeconds, r.Results[0].PeakFootprint = new(0.001), bytesOf(64<<10)
	return r
}

func TestCrowdTable(t *testing.T) {
	r := crowds()
	r.Header.Interrupted = true
	text := written(t, func(b *strings.Builder) error { return writeTable(b, r) })
	for _, want := range []string{
		"Abacus, 2 cores",
		"per block",
		"INTERRUPTED",
		"rb 10.0 20.0 5.00 100.0 100.0 64.0 KiB 0.00100",
		"native:b 5.00 80.0 10.0 - - - -",
		"rb 12.0 123 6.00 48.0 48.0 - -",
		"native:b failed - - - - - -",
		"ERROR live_2,000 native:b: child: killed",
		"rb ÷ 1,000 2,000",
		"fill a 0.50 0.50",
		"b 2.00 - │ the best of them 2.00 0.50",
		"replace a 2.00 0.50",
		"b 0.25 - │ the best of them 2.00 0.50",
		"resident, filled a 2.00 1.00 │ b - - │ the best of them 2.00 1.00",
	} {
		if !strings.Contains(lines(text), want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("the table has escape sequences")
	}
	checkWidth(t, text)
}

// lines drops the frame of a table and has a bar where a line begins with an
// empty cell.
func lines(table string) string {
	var all []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "│")
		words := strings.Join(strings.Fields(strings.Join(cells, " ")), " ")
		if len(cells) > 1 && strings.TrimSpace(cells[1]) == "" {
			words = "│ " + words
		}
		all = append(all, words)
	}
	return strings.Join(all, " ")
}

// TestCrowdTableOfNothing is what an interrupt in the first turn leaves.
func TestCrowdTableOfNothing(t *testing.T) {
	r := crowds()
	r.Results = nil
	text := written(t, func(b *strings.Builder) error { return writeTable(b, r) })
	if !strings.Contains(text, "replace, ns") || strings.Contains(text, "steady") {
		t.Errorf("a table of what else?\n%s", text)
	}
}

// TestCrowdTableWithoutNative wants no ratios where one of the two is missing.
func TestCrowdTableWithoutNative(t *testing.T) {
	for _, missing := range []func(Result) bool{
		func(r Result) bool { return isNative(r) },
		func(r Result) bool { return r.Subject == "rb" },
	} {
		r := crowds()
		for i := range r.Results {
			if missing(r.Results[i]) {
				r.Results[i].Error = "child: killed"
			}
		}
		if block := r.crowdsBesideNative(); block != "" {
			t.Errorf("ratios of nothing:\n%s", block)
		}
	}
}

func TestCrowdJSON(t *testing.T) {
	want := crowds()
	text := written(t, func(b *strings.Builder) error { return writeJSON(b, want) })
	var got Report
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got %+v\nwant %+v", got, *want)
	}
	for _, key := range []string{`"crowd": {`, `"live": 1000`, `"fill": `, `"replace": `, `"free": `} {
		if !strings.Contains(text, key) {
			t.Errorf("the JSON lacks %s", key)
		}
	}
}

func TestMedianCrowd(t *testing.T) {
	got := MedianCrowd([]*Crowd{{7, 1, 20, 300}, {7, 3, 10, 200}, {7, 2, 30, 100}})
	if got == nil || *got != (Crowd{7, 2, 20, 200}) {
		t.Errorf("%+v", got)
	}
	if MedianCrowd(nil) != nil || MedianCrowd([]*Crowd{nil, nil}) != nil {
		t.Error("a median of nothing")
	}
}
