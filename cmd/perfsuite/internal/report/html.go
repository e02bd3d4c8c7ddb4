package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.ParseFS(pageFiles, "page/page.html"))

// page is what the template shows.
type page struct {
	Command                 string
	Machine, Go, Date, Base string
	Warnings                []string
	Style, Colours          template.CSS
	Script                  template.JS
	Static                  template.HTML // the chart for readers without scripts
	Measures                []pageMeasure
	Subjects                []pageSubject
	Tests                   []pageTest
	Means                   []pageMean
	Native                  *pageNative // nil if there is none
	Terms                   []pageTerm
	Data                    pageData // what the script draws
}

// pageData is the part of a page that its script reads.
type pageData struct {
	Base     string        `json:"base"`
	Measures []pageMeasure `json:"measures"`
	Subjects []pageSubject `json:"subjects"`
	Tests    []pageTest    `json:"tests"`
}

type pageMeasure struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Unit  string `json:"unit"` // name of the script's function that formats it
}

type pageSubject struct {
	Name   string `json:"name"`
	Colour int    `json:"colour"`
	Text   string `json:"-"`
	Note   string `json:"-"`
}

type pageTest struct {
	Name    string       `json:"name"`
	Text    string       `json:"text"`
	Asked   string       `json:"-"`
	Results []pageResult `json:"results"`
}

type pageResult struct {
	Subject string                `json:"subject"`
	Error   string                `json:"error,omitempty"`
	Turns   int                   `json:"turns"`
	Ratio   float64               `json:"ratio,omitempty"`
	Values  map[string]pageSpread `json:"values"` // by measure
	Colour  int                   `json:"-"`
	Cells   []string              `json:"-"`
}

// pageSpread is a measure over the turns.
type pageSpread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

type pageMean struct {
	Subject, Mean string
	Colour, Tests int
}

// pageNative holds our heap against the best native subject.
type pageNative struct {
	Subject string
	Heads   []string
	Rows    []pageContest
}

type pageContest struct {
	Name  string
	Cells []pageCell
}

type pageCell struct{ Ratio, Best string }

type pageTerm struct{ Name, Text string }

// writeHTML writes a page that needs nothing else: its style, script, data and
// charts are in it. Without scripts it shows the static chart and the table.
func writeHTML(w io.Writer, r *Report) error {
	p, err := newPage(r)
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, p)
}

func newPage(r *Report) (*page, error) {
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return nil, err
	}
	script, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		return nil, err
	}
	var static strings.Builder
	if err := writeSVG(&static, r); err != nil {
		return nil, err
	}
	p := &page{
		Command: r.Header.command(),
		Machine: r.Header.Machine.String(), Go: r.Header.Go, Date: r.Header.Date.Format("2006-01-02 15:04"), Base: r.Header.Base,
		Warnings: r.warnings(),
		Style:    template.CSS(style), Colours: pageColours(), Script: template.JS(script), Static: template.HTML(static.String()),
		Measures: pageMeasures(), Subjects: r.pageSubjects(), Tests: r.pageTests(), Means: r.pageMeans(), Native: r.pageNative(), Terms: r.pageTerms(),
	}
	p.Data = pageData{Base: p.Base, Measures: p.Measures, Subjects: p.Subjects, Tests: p.Tests}
	return p, nil
}

// warnings says what the reader must know before he reads a number.
func (r *Report) warnings() []string {
	var all []string
	if r.Header.Scale != 1 {
		all = append(all, fmt.Sprintf("Quick look: all streams are cut to 1/%d of the length described, so caches and pages weigh differently. Do not quote.", r.Header.Scale))
	}
	if r.Header.Interrupted {
		all = append(all, "Interrupted: only what was finished is shown.")
	}
	for i := range r.Results {
		if one := &r.Results[i]; one.Error != "" {
			all = append(all, fmt.Sprintf("Failed: %s on %s: %s", one.Test, one.Subject, oneLine(one.Error)))
		}
	}
	return all
}

// pageColours returns the palette as classes for bars and swatches.
func pageColours() template.CSS {
	var light, dark strings.Builder
	for i, c := range palette {
		fmt.Fprintf(&light, ".s%d{fill:%s;background:%s}", i, c.Light, c.Light)
		fmt.Fprintf(&dark, ".s%d{fill:%s;background:%s}", i, c.Dark, c.Dark)
	}
	return template.CSS(light.String() + "\n@media screen and (prefers-color-scheme:dark){" + dark.String() + "}")
}

func pageMeasures() []pageMeasure {
	var all []pageMeasure
	for _, m := range Measures() {
		unit := "bytes"
		label, isTime := strings.CutSuffix(m.Head, ", s")
		if isTime {
			unit = "seconds"
		}
		all = append(all, pageMeasure{m.Name, label, m.Text, unit})
	}
	return all
}

func (r *Report) pageSubjects() []pageSubject {
	var all []pageSubject
	colour := colours(r.subjects())
	for _, name := range r.subjects() {
		one := pageSubject{Name: name, Colour: colour[name]}
		if i := slices.IndexFunc(r.Header.Subjects, func(s Subject) bool { return s.Name == name }); i >= 0 {
			one.Text, one.Note = r.Header.Subjects[i].Text, r.Header.Subjects[i].Note
		}
		all = append(all, one)
	}
	return all
}

func (r *Report) pageTests() []pageTest {
	var all []pageTest
	colour, s := colours(r.subjects()), newRatios(r)
	for _, block := range r.byTest() {
		t := pageTest{Name: block[0].Test, Text: block[0].what(), Asked: asked(block)}
		for i := range block {
			one := newPageResult(&block[i], s)
			one.Colour = colour[one.Subject]
			t.Results = append(t.Results, one)
		}
		all = append(all, t)
	}
	return all
}

func newPageResult(r *Result, s ratios) pageResult {
	p := pageResult{Subject: r.Subject, Error: r.Error, Turns: len(r.Turns), Values: map[string]pageSpread{}}
	if !r.Measured() {
		if p.Error == "" {
			p.Error = "no turn was finished"
		}
		return p
	}
	medians := r.Medians()
	for _, m := range Measures() {
		v, ok := m.Of(&medians)
		if turns := m.Values(r.Turns); ok && len(turns) != 0 {
			p.Values[m.Name] = pageSpread{v, slices.Min(turns), slices.Max(turns)}
		}
	}
	quotient := "-"
	if v, ok := s.of(r); ok {
		p.Ratio, quotient = v, ratio(v)
	}
	p.Cells = []string{
		scaledSeconds(r.First), scaledSeconds(r.Seconds), quotient, optional(r.PeakFootprint), optional(r.PeakFirstRSS), optional(r.PeakRSS),
		orDash(r.DropSeconds, scaledSeconds), number(int64(r.Runs)),
	}
	return p
}

func orDash[T any](v *T, format func(T) string) string {
	if v == nil {
		return "-"
	}
	return format(*v)
}

// asked says what each subject of a test was asked for.
func asked(block []Result) string {
	i := slices.IndexFunc(block, func(r Result) bool { return r.Measured() })
	if i < 0 {
		return ""
	}
	n := &block[i].Counts
	s := fmt.Sprintf("%s allocs, %s frees", number(n.Allocs), number(n.Frees))
	if n.Reallocs != 0 {
		s += fmt.Sprintf(", %s reallocs", number(n.Reallocs))
	}
	return s + ", " + size(n.Bytes) + " asked for"
}

func (r *Report) pageMeans() []pageMean {
	var all []pageMean
	colour, s := colours(r.subjects()), newRatios(r)
	for _, name := range r.subjects() {
		if mean, tests := s.mean(r, name); tests > 0 {
			all = append(all, pageMean{Subject: name, Mean: ratio(mean), Colour: colour[name], Tests: tests})
		}
	}
	return all
}

// pageNative returns what the last block of the table says.
func (r *Report) pageNative() *pageNative {
	i := slices.IndexFunc(own, r.measured)
	if i < 0 || !slices.ContainsFunc(r.Results, isNative) {
		return nil
	}
	p := &pageNative{Subject: own[i]}
	all := contests()
	for j := range all {
		p.Heads = append(p.Heads, all[j].Head)
	}
	for _, block := range r.byTest() {
		row := pageContest{Name: block[0].Test}
		for j := range all {
			quotient, best := all[j].hold(block, own[i])
			row.Cells = append(row.Cells, pageCell{quotient, best})
		}
		p.Rows = append(p.Rows, row)
	}
	means := pageContest{Name: "geometric mean"}
	for j := range all {
		mean, tests := all[j].mean()
		means.Cells = append(means.Cells, pageCell{mean, tests})
	}
	p.Rows = append(p.Rows, means)
	return p
}

// pageTerms explains the columns.
func (r *Report) pageTerms() []pageTerm {
	h := &r.Header
	return []pageTerm{
		{"turns", fmt.Sprintf("%d of each test and subject, in a process each, of %d runs (3 if the first takes over a second); numbers are medians of the turns", h.Count, h.Runs)},
		{"first", "the first run of a turn, which pays for fresh pages"},
		{"steady", "the mean of the other runs without the best and the worst"},
		{"ratio", "steady, as a multiple of that of " + h.Base},
		{"footprint", "the memory that the subject says it obtained"},
		{"resident", "by how much the process grew at most, in all runs or in the first alone"},
		{"drop", "the time to drop everything at once instead of block by block"},
	}
}
