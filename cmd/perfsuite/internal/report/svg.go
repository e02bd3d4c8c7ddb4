package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Sizes of the chart, in pixels.
const (
	svgWidth   = 960
	svgMargin  = 20
	svgColumns = 3
	svgGap     = 26
	svgRow     = 17 // height of a bar with its gap
	svgBar     = 11
	svgLine    = 13 // height of a line of text
	svgValue   = 68 // room for the value behind the longest bar
	svgBeyond  = 8  // how far a bar that is cut off sticks out
	svgLetter  = 6.4

	svgTextWidth = 50 // letters in a line below a panel's title
	svgLeastText = 2  // lines of it that there is room for in any case
	svgMostText  = 4
)

const (
	svgInner = svgWidth - 2*svgMargin
	svgPanel = (svgInner - (svgColumns-1)*svgGap) / svgColumns
)

// drawing collects the elements of a chart.
type drawing struct {
	strings.Builder
	colour map[string]int
	label  int // width of the names of subjects
}

// writeSVG draws the steady times: one panel of the means, then one per test. The
// ground is part of the picture, so that it is readable wherever it is shown,
// and follows the scheme that the reader's system prefers. There is no script
// and nothing from elsewhere in it.
func writeSVG(w io.Writer, r *Report) error {
	d := &drawing{colour: colours(r.subjects()), label: labelWidth(r.subjects())}
	y := d.head(r)
	if mean := r.meanPanel(); len(mean.bars) != 0 {
		y += d.panel(&mean, svgMargin, y, svgInner, len(mean.text)) + svgGap
	}
	for row := range slices.Chunk(r.byTest(), svgColumns) {
		y += d.row(row, y) + svgGap
	}
	y = d.foot(r, y)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="perfsuite-title">
<title id="perfsuite-title">%s</title>
<style>%s</style>
<rect class="ground" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
%s</svg>
`, svgWidth, y, svgWidth, y, r.Header.command()+svgTitle, svgStyle(), svgWidth-1, y-1, d.String())
	return err
}

const svgTitle = ": time of a warm run" // behind the command

// labelWidth returns the room that the longest name needs, up to some two
// fifths of a panel.
func labelWidth(subjects []string) int {
	most := 0
	for _, name := range subjects {
		most = max(most, len([]rune(name)))
	}
	return min(int(float64(most)*svgLetter)+10, svgPanel*2/5)
}

// head writes the title and the machine, and returns where the panels begin.
func (d *drawing) head(r *Report) int {
	h := &r.Header
	d.text(svgMargin, 34, "title", h.command()+svgTitle+", shorter is better")
	d.text(svgMargin, 52, "small", fmt.Sprintf("%s · %s · %s", h.Machine, h.Go, h.Date.Format("2006-01-02")))
	y := 52
	if h.Scale != 1 {
		y += svgLine + 3
		d.text(svgMargin, y, "warning", fmt.Sprintf("QUICK: all streams are cut to 1/%d of the length described: do not quote", h.Scale))
	}
	if h.Interrupted {
		y += svgLine + 3
		d.text(svgMargin, y, "warning", "INTERRUPTED: only what was finished is shown")
	}
	return y + 32
}

// row draws panels of tests side by side, with their bars in line, and returns the
// height of the tallest.
func (d *drawing) row(blocks [][]Result, y int) int {
	var panels []panel
	lines, tallest := svgLeastText, 0
	for _, block := range blocks {
		p := testPanel(block, svgTextWidth)
		p.title = clip(p.title, svgPanel*5/6) // its letters are larger
		if len(p.text) > svgMostText {
			p.text = p.text[:svgMostText]
			p.text[svgMostText-1] += "…"
		}
		lines = max(lines, len(p.text))
		panels = append(panels, p)
	}
	for i := range panels {
		tallest = max(tallest, d.panel(&panels[i], svgMargin+i*(svgPanel+svgGap), y, svgPanel, lines))
	}
	return tallest
}

// panel draws a panel with its upper left corner at a point and so many lines of
// room for its text, and returns its height.
func (d *drawing) panel(p *panel, x, y, width, lines int) int {
	d.text(x, y, "name", p.title)
	for i, line := range p.text {
		d.text(x, y+(i+1)*svgLine+1, "small", line)
	}
	top := y + lines*svgLine + 10
	s := scale{left: float64(x + d.label + 1), room: float64(width - d.label - svgValue), reach: p.reach()}
	for i := range p.bars {
		d.bar(&p.bars[i], s, top+i*svgRow)
	}
	bottom := top + len(p.bars)*svgRow
	fmt.Fprintf(d, `<path class="axis" d="M%d.5 %dV%d"/>`+"\n", x+d.label, top-3, bottom)
	return bottom - y
}

// scale maps the values of a panel to places.
type scale struct{ left, room, reach float64 }

// at returns the place of a value, which is a little beyond the room for those
// out of reach.
func (s scale) at(v float64) float64 {
	if v > s.reach {
		return s.left + min(s.room*v/s.reach, s.room+svgBeyond)
	}
	return s.left + s.room*v/s.reach
}

// bar draws a name, a bar with the reach of its turns, and a value.
func (d *drawing) bar(b *bar, s scale, y int) {
	base := y + svgBar - 1
	fmt.Fprintf(d, `<text class="subject" x="%.0f" y="%d">%s</text>`+"\n", s.left-7, base, escaped(clip(b.subject, d.label)))
	end := s.at(b.value)
	if b.value > 0 {
		fmt.Fprintf(d, `<rect class="s%d" x="%.1f" y="%d" width="%.1f" height="%d"><title>%s: %s</title></rect>`+"\n",
			d.colour[b.subject], s.left, y, max(end-s.left, 0.8), svgBar, escaped(b.subject), escaped(b.label))
	}
	switch {
	case b.value > s.reach:
		fmt.Fprintf(d, `<path class="cut" d="M%.1f %dl5 -%d"/>`+"\n", end-14, y+svgBar+1, svgBar+2)
	case b.most > b.least:
		fmt.Fprintf(d, `<path class="spread" d="M%.1f %.1fH%.1f"/>`+"\n", s.at(b.least), float64(y)+svgBar/2.0, s.at(b.most))
		end = max(end, s.at(b.most))
	}
	d.text(int(end)+5, base, "value", b.label)
}

// foot writes how to read the chart and returns where it ends.
func (d *drawing) foot(r *Report, y int) int {
	notes := "A slash: the bar is longer than its panel."
	if r.Header.Count > 1 {
		notes = fmt.Sprintf("Bars: median of %d turns; thin lines: fastest to slowest turn. %s", r.Header.Count, notes)
	}
	d.text(svgMargin, y, "small", notes+" Each panel has its own scale from zero.")
	return y + svgMargin
}

func (d *drawing) text(x, y int, class, s string) {
	fmt.Fprintf(d, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x, y, escaped(s))
}

// clip cuts a name that is wider than its room.
func clip(name string, width int) string {
	letters, room := []rune(name), int(float64(width-6)/svgLetter)
	if len(letters) <= room {
		return name
	}
	return string(letters[:room-1]) + "…"
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

// svgStyle returns the style sheet. It has no variables, which not all viewers
// know.
func svgStyle() string {
	var b strings.Builder
	b.WriteString(`
text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1f2328}
.title{font-size:17px;font-weight:600}
.name{font-size:13px;font-weight:600}
.small{font-size:10.5px;fill:#59636e}
.warning{font-weight:600;fill:#b35900}
.subject{text-anchor:end}
.ground{fill:#fff;stroke:#d1d9e0}
.axis{stroke:#8c959f;fill:none}
.cut{stroke:#fff;stroke-width:3;fill:none}
.spread{stroke:#1f2328;stroke-opacity:.55;fill:none}
`)
	for i, c := range palette {
		fmt.Fprintf(&b, ".s%d{fill:%s}", i, c.Light)
	}
	b.WriteString(`
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.small{fill:#9198a1}.warning{fill:#f0b72f}
.ground{fill:#0d1117;stroke:#3d444d}.axis{stroke:#656c76}.cut{stroke:#0d1117}.spread{stroke:#f0f6fc}
`)
	for i, c := range palette {
		fmt.Fprintf(&b, ".s%d{fill:%s}", i, c.Dark)
	}
	b.WriteString("}\n")
	return b.String()
}
