package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteTable writes the format table for a terminal of so many columns, or of any
// number if that is 0. Where the table does not fit, its frame goes, tests get lines
// of their own, and columns are left out, the last ones first; a line says which.
// Other lines the terminal may break.
func WriteTable(w io.Writer, r *Report, width int) error {
	var full strings.Builder
	if err := writeTable(&full, r); err != nil {
		return err
	}
	if width == 0 || text.LongestLineLen(framed(full.String())) <= width {
		_, err := io.WriteString(w, full.String())
		return err
	}
	_, err := io.WriteString(w, r.narrow(width))
	return err
}

// framed returns the lines of a text that belong to tables.
func framed(s string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(s, "\n"), func(line string) bool {
		return !strings.ContainsAny(line, "│┌")
	}), "\n")
}

// narrowTable has no frame. Its cells are those of the table.
type narrowTable struct {
	heads  []string // of one or two lines
	blocks []narrowBlock
	leave  []int // columns that may be left out, in this order
}

type narrowBlock struct {
	title []string
	rows  [][]string
}

// narrow writes all that writeTable does.
func (r *Report) narrow(width int) string {
	if r.Header.Crowds {
		return r.crowdIntro() + "\n" + r.narrowCrowds(width) + r.notes() + r.crowdsBesideNative()
	}
	t := narrowTable{heads: []string{"subject", "first, s", "steady, s", "ratio", "footprint", "resident +", "drop, s", "runs"}, leave: []int{7, 6, 4, 1}}
	s := newRatios(r)
	t.addTests(r, width, func(one *Result) []string { return line(one, s) })
	if row, ok := meanBlock(r, s); ok {
		t.blocks = append(t.blocks, unfold(row))
	}
	return r.intro() + "\n" + t.render(width) + r.notes() + r.narrowBesideNative(width)
}

// narrowCrowds is the table about crowds.
func (r *Report) narrowCrowds(width int) string {
	t := narrowTable{heads: []string{"subject"}, leave: []int{6, 7, 5, 4}}
	for _, m := range crowdMeasures {
		t.heads = append(t.heads, m.head)
	}
	t.heads = append(t.heads, "footprint", "drop, s")
	t.addTests(r, width, crowdLine)
	return t.render(width)
}

// addTests adds a block for each test.
func (t *narrowTable) addTests(r *Report, width int, cells func(*Result) []string) {
	for _, block := range r.byTest() {
		b := narrowBlock{title: narrowTitle(block, width)}
		for i := range block {
			b.rows = append(b.rows, cells(&block[i]))
		}
		t.blocks = append(t.blocks, b)
	}
}

// narrowTitle says what a test does in lines of a width.
func narrowTitle(block []Result, width int) []string {
	title := block[0].Test
	if what := block[0].what(); what != "" {
		title += ": " + what
	}
	if asked := asked(block); asked != "" {
		title += "; " + asked
	}
	return strings.Split(text.WrapSoft(title, width), "\n")
}

// unfold makes a block of a row whose cells have a line for each subject.
func unfold(row table.Row) narrowBlock {
	b := narrowBlock{title: []string{fmt.Sprint(row[0])}}
	for i, cell := range row[1:] {
		for j, one := range strings.Split(fmt.Sprint(cell), "\n") {
			if i == 0 {
				b.rows = append(b.rows, make([]string, len(row)-1))
			}
			b.rows[j][i] = one
		}
	}
	return b
}

// narrowBesideNative is besideNative without a frame.
func (r *Report) narrowBesideNative(width int) string {
	p := r.pageNative()
	if p == nil {
		return ""
	}
	t := narrowTable{heads: []string{"test"}, leave: []int{8, 6, 4, 7, 5}}
	for _, c := range contests() {
		t.heads = append(t.heads, c.ratio, c.best)
	}
	var b narrowBlock
	for _, row := range p.Rows {
		cells := []string{row.Name}
		for _, c := range row.Cells {
			cells = append(cells, c.Ratio, c.Best)
		}
		b.rows = append(b.rows, cells)
	}
	t.blocks = []narrowBlock{b}
	return fmt.Sprintf("\n%s as a multiple of the best native subject of each test\n%s", p.Subject, t.render(width))
}

// render writes as many columns as fit, of which the first is aligned to the left.
func (t *narrowTable) render(width int) string {
	widths, left := t.widths(), []string(nil)
	for _, column := range t.leave {
		if sum(widths) <= width {
			break
		}
		widths[column] = 0
		left = append(left, strings.ReplaceAll(t.heads[column], "\n", " "))
	}
	var b strings.Builder
	for i := range t.headLines() {
		head := make([]string, len(t.heads))
		for j, h := range t.heads {
			if lines := strings.Split(h, "\n"); i < len(lines) {
				head[j] = lines[i]
			}
		}
		writeCells(&b, head, widths)
	}
	for _, block := range t.blocks {
		for _, line := range block.title {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		for _, row := range block.rows {
			writeCells(&b, row, widths)
		}
	}
	if left != nil {
		fmt.Fprintf(&b, "left out in %d columns: %s\n", width, strings.Join(left, "; "))
	}
	return b.String()
}

func (t *narrowTable) headLines() int {
	most := 1
	for _, h := range t.heads {
		most = max(most, 1+strings.Count(h, "\n"))
	}
	return most
}

// widths returns the widths of the columns, with the gaps before them.
func (t *narrowTable) widths() []int {
	widths := make([]int, len(t.heads))
	for i, h := range t.heads {
		widths[i] = text.LongestLineLen(h)
	}
	for _, block := range t.blocks {
		for _, row := range block.rows {
			for i, cell := range row {
				widths[i] = max(widths[i], text.LongestLineLen(cell))
			}
		}
	}
	for i := range widths {
		widths[i] += narrowGap
	}
	return widths
}

// narrowGap is between columns, and before the first one, which sets it off from
// the titles.
const narrowGap = 2

func sum(all []int) (sum int) {
	for _, n := range all {
		sum += n
	}
	return sum
}

// writeCells writes a line of cells. A column of no width is left out.
func writeCells(b *strings.Builder, cells []string, widths []int) {
	var line strings.Builder
	for i, cell := range cells {
		switch {
		case widths[i] == 0:
		case i == 0:
			line.WriteString(strings.Repeat(" ", narrowGap) + text.Pad(cell, widths[i]-narrowGap, ' '))
		default:
			line.WriteString(text.AlignRight.Apply(cell, widths[i]))
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
