package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// elements reads text as XML to its end and counts the elements by name.
func elements(t *testing.T, text string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok {
			found[start.Name.Local]++
		}
	}
}

const hostile = `native:<b>"x" & 'y'</b>`

// outside is what would make a picture or page fetch something.
var outside = regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import|https?://[^"]*`)

// selfContained wants no reference to anything else but the name of the XML
// namespace.
func selfContained(t *testing.T, text string) {
	t.Helper()
	for _, found := range outside.FindAllString(text, -1) {
		if found != "http://www.w3.org/2000/svg" {
			t.Errorf("there is a reference to something outside: %s", found)
		}
	}
}

func TestSVG(t *testing.T) {
	r := sample()
	r.Results[1].Subject, r.Header.Scale, r.Header.Interrupted = hostile, 10, true
	r.Results[0].Turns = append(r.Results[0].Turns, Turn{Seconds: 0.44})
	text := written(t, func(b *strings.Builder) error { return writeSVG(b, r) })
	found := elements(t, text)
	// The ground, two bars in each test and three means; one of the bars with
	// turns that differ, and the axes of three panels.
	if found["rect"] != 1+4+3 || found["path"] != 1+3 || found["svg"] != 1 || found["script"] != 0 {
		t.Errorf("elements %v", found)
	}
	for _, want := range []string{"perf_11", "queue of 1,024 blocks", "400 ms", "failed", "2.00 (1 tests)", "Abacus, 2 cores", "QUICK", "INTERRUPTED", "prefers-color-scheme:dark"} {
		if !strings.Contains(text, want) {
			t.Errorf("the chart lacks %q", want)
		}
	}
	if strings.Contains(text, hostile) {
		t.Error("a name is not escaped")
	}
	selfContained(t, text)
}

func TestSVGOfNothing(t *testing.T) {
	r := sample()
	r.Results = nil
	if found := elements(t, written(t, func(b *strings.Builder) error { return writeSVG(b, r) })); found["rect"] != 1 {
		t.Errorf("elements %v", found)
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 1},
		{[]float64{0, 0}, 1},
		{[]float64{1, 3, 9}, 9},
		{[]float64{1, 2, 100}, 2},        // one is cut
		{[]float64{1, 2, 50, 100}, 2},    // half of them is
		{[]float64{1, 50, 60, 100}, 100}, // not most of them
		{[]float64{7}, 7},
	} {
		var p panel
		for _, v := range c.values {
			p.bars = append(p.bars, bar{value: v})
		}
		if got := p.reach(); got != c.want {
			t.Errorf("%v: reach %g, want %g", c.values, got, c.want)
		}
	}
}

func TestScale(t *testing.T) {
	s := scale{left: 10, room: 100, reach: 2}
	for v, want := range map[float64]float64{0: 10, 1: 60, 2: 110, 2.1: 115, 200: 118} {
		if got := s.at(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is drawn at %g, want %g", v, got, want)
		}
	}
}

func TestScaledSeconds(t *testing.T) {
	for v, want := range map[float64]string{0: "0 s", 2e-8: "20.0 ns", 1e-12: "0.00 ns", 0.000332: "332 µs", 0.0234: "23.4 ms", 0.9999: "1.00 s", 123.4: "123 s"} {
		if got := scaledSeconds(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

// TestColours wants thirteen subjects to have as many colours, whatever others are
// beside them.
func TestColours(t *testing.T) {
	names := []string{"rb", "avl", "trie", "huge", "goheap", "modernc", "floor"}
	for i := range 6 {
		names = append(names, fmt.Sprint("native:", i))
	}
	found := colours(names)
	seen := map[int]bool{}
	for _, c := range found {
		seen[c] = true
	}
	if len(seen) != 13 || colours(names[4:])["goheap"] != found["goheap"] {
		t.Errorf("colours %v", found)
	}
	if c := colours(append(slices.Clone(names), "native:more")); c["native:more"] != c["native:0"] {
		t.Errorf("colours %v", c)
	}
}

// TestSVGTextAboveBars wants the longest text that a stream may bring to end above
// the bars, which are in line in all panels of a row.
func TestSVGTextAboveBars(t *testing.T) {
	r := sample()
	r.Header.Base = "nobody" // so that there is no panel of means
	r.Results[0].Test, r.Results[1].Test = "a.ckms", "a.ckms"
	r.Results[0].Text = strings.Repeat("many words ", 100)
	text := written(t, func(b *strings.Builder) error { return writeSVG(b, r) })
	lowest, top := 0, svgWidth*10
	for _, m := range regexp.MustCompile(`class="small" x="\d+" y="(\d+)">(many|queue|words)`).FindAllStringSubmatch(text, -1) {
		y, _ := strconv.Atoi(m[1])
		lowest = max(lowest, y)
	}
	var tops []int
	for _, m := range regexp.MustCompile(`<rect class="s\d+" x="[\d.]+" y="(\d+)"`).FindAllStringSubmatch(text, -1) {
		y, _ := strconv.Atoi(m[1])
		tops = append(tops, y)
		top = min(top, y)
	}
	if lowest == 0 || lowest >= top || !strings.Contains(text, "…") || len(tops) != 4 || tops[0] != tops[2] {
		t.Errorf("text down to %d, bars at %v", lowest, tops)
	}
}
