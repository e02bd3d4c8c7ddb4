package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// bar is one subject in a panel.
type bar struct {
	subject string
	value   float64 // 0 if there is none
	least   float64 // of the turns
	most    float64
	label   string
}

// panel is a small chart with a scale of its own, which begins at zero.
type panel struct {
	title string
	text  []string // lines below the title
	bars  []bar
}

// testPanel charts the steady times of a test.
func testPanel(block []Result, textWidth int) panel {
	p := panel{title: block[0].Test}
	if what := block[0].what(); what != "" {
		p.text = strings.Split(text.WrapSoft(what, textWidth), "\n")
	}
	for i := range block {
		p.bars = append(p.bars, timeBar(&block[i]))
	}
	return p
}

func timeBar(r *Result) bar {
	b := bar{subject: r.Subject, label: "failed"}
	if !r.Measured() {
		return b
	}
	steady, _ := FindMeasure("seconds")
	turns := steady.Values(r.Turns)
	b.value, b.label = r.Seconds, scaledSeconds(r.Seconds)
	b.least, b.most = slices.Min(turns), slices.Max(turns)
	return b
}

// meanPanel charts the geometric means of the ratios to the base. A mean of
// fewer tests than there are says so.
func (r *Report) meanPanel() panel {
	s, tested := newRatios(r), len(r.byTest())
	p := panel{title: "geometric mean", text: []string{"of the steady times as multiples of those of " + r.Header.Base}}
	for _, name := range r.subjects() {
		mean, tests := s.mean(r, name)
		if tests == 0 {
			continue
		}
		b := bar{subject: name, value: mean, least: mean, most: mean, label: ratio(mean)}
		if tests < tested {
			b.label += fmt.Sprintf(" (%d tests)", tests)
		}
		p.bars = append(p.bars, b)
	}
	return p
}

// longBar is how much longer than all others a bar may be before it is cut.
const longBar = 4

// reach returns the value that fills a panel's width. Where a minority of bars
// would leave no room for the others, it is the longest of those others, and
// the minority is drawn cut off.
func (p *panel) reach() float64 {
	var values []float64
	for _, b := range p.bars {
		if b.value > 0 {
			values = append(values, b.value)
		}
	}
	slices.Sort(values)
	for i := (len(values) + 1) / 2; i < len(values); i++ {
		if values[i] > longBar*values[i-1] {
			return values[i-1]
		}
	}
	if len(values) == 0 {
		return 1
	}
	return values[len(values)-1]
}

// scaledSeconds writes a time with three digits and the unit that suits it.
func scaledSeconds(v float64) string {
	units := []string{"s", "ms", "µs", "ns"}
	for len(units) > 1 && v < 0.9995 {
		v, units = v*1000, units[1:]
	}
	if v <= 0 {
		return "0 s"
	}
	return significant(v, 3, 2) + " " + units[0]
}

// colours gives each subject the number of its colour. Those that are always
// there have one of their own; the others take turns.
func colours(subjects []string) map[string]int {
	known := []string{"rb", "avl", "trie", "huge", "goheap", "modernc", "floor"}
	found := map[string]int{}
	others := 0
	for _, name := range subjects {
		if i := slices.Index(known, name); i >= 0 {
			found[name] = i
			continue
		}
		found[name] = len(known) + others%(len(palette)-len(known))
		others++
	}
	return found
}

// palette has the colours of subjects on a light ground and on a dark one. Ours
// are blue; no bar is told from another by its colour alone.
var palette = [...]struct{ Light, Dark string }{
	{"#0a5fc2", "#58a6ff"},
	{"#3f8fe0", "#388bfd"},
	{"#86b9f0", "#1f6feb"},
	{"#1b3f73", "#a5c8ff"},
	{"#0e8a7d", "#2dd4bf"},
	{"#8250df", "#bc8cff"},
	{"#8c959f", "#768390"},
	{"#bc4c00", "#f0883e"},
	{"#d4a017", "#e3b341"},
	{"#c4314b", "#ff7b72"},
	{"#d2691e", "#ffa657"},
	{"#bf3989", "#f778ba"},
	{"#7d4e2d", "#c8a27c"},
}
