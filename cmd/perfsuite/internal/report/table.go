package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// testWidth is the width of the column that describes a test. The table is
// about 130 columns wide with it.
const testWidth = 40

// cells are the columns of a block; a block's lines are its subjects.
type cells [9][]string

// writeTable writes a table with one block per test and one of the means. It
// never uses colours, so that it reads the same in a terminal and a file.
func writeTable(w io.Writer, r *Report) error {
	if r.Header.Crowds {
		return writeCrowds(w, r)
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options.SeparateRows = true
	t.SetColumnConfigs(columns(testWidth))
	t.AppendHeader(table.Row{"test", "subject", "first, s", "steady, s", "ratio", "footprint", "resident +", "drop, s", "runs"})
	s := newRatios(r)
	for _, block := range r.byTest() {
		t.AppendRow(testBlock(block, s))
	}
	if row, ok := meanBlock(r, s); ok {
		t.AppendRow(row)
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n%s%s", r.intro(), t.Render(), r.notes(), r.besideNative())
	return err
}

func columns(first int) []table.ColumnConfig {
	configs := []table.ColumnConfig{{Number: 1, WidthMin: first}}
	for i := 3; i <= len(cells{}); i++ {
		configs = append(configs, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return configs
}

// byTest cuts the results where the test changes.
func (r *Report) byTest() [][]Result {
	var blocks [][]Result
	for i, one := range r.Results {
		if i == 0 || one.Test != r.Results[i-1].Test {
			blocks = append(blocks, nil)
		}
		last := len(blocks) - 1
		blocks[last] = append(blocks[last], one)
	}
	return blocks
}

func testBlock(block []Result, s ratios) table.Row {
	var c cells
	c[0] = describe(block)
	for i := range block {
		for j, cell := range line(&block[i], s) {
			c[j+1] = append(c[j+1], cell)
		}
	}
	return c.row()
}

// describe says what the test does and what each subject was asked for.
func describe(block []Result) []string {
	lines := []string{block[0].Test}
	if what := block[0].what(); what != "" {
		lines = append(lines, strings.Split(text.WrapSoft(what, testWidth), "\n")...)
	}
	i := slices.IndexFunc(block, func(r Result) bool { return r.Measured() })
	if i < 0 {
		return lines
	}
	n := &block[i].Counts
	asked := fmt.Sprintf("%s allocs, %s frees", number(n.Allocs), number(n.Frees))
	if n.Reallocs != 0 {
		lines = append(lines, asked, fmt.Sprintf("%s reallocs, %s asked for", number(n.Reallocs), size(n.Bytes)))
	} else {
		lines = append(lines, asked, size(n.Bytes)+" asked for, no reallocs")
	}
	return lines
}

// line returns the cells of one subject from the second column on.
func line(r *Result, s ratios) []string {
	if !r.Measured() {
		return []string{r.Subject, "failed", "-", "-", "-", "-", "-", "-"}
	}
	quotient := "-"
	if v, ok := s.of(r); ok {
		quotient = ratio(v)
	}
	return []string{
		r.Subject, seconds(r.First), seconds(r.Seconds), quotient,
		optional(r.PeakFootprint), optional(r.PeakRSS), optionalSeconds(r.DropSeconds), number(int64(r.Runs)),
	}
}

// meanBlock returns the row of geometric means, if there are ratios at all.
func meanBlock(r *Report, s ratios) (table.Row, bool) {
	var c cells
	c[0] = []string{"geometric mean of the ratios to " + r.Header.Base}
	most := 0
	for _, name := range r.subjects() {
		mean, tests := s.mean(r, name)
		if tests == 0 {
			continue
		}
		most = max(most, tests)
		c[1] = append(c[1], name)
		c[4] = append(c[4], ratio(mean))
		c[8] = append(c[8], fmt.Sprintf("tests %d", tests))
	}
	return c.row(), most > 0
}

// subjects returns the names of the subjects in their order.
func (r *Report) subjects() []string {
	var names []string
	for _, one := range r.Results {
		if !slices.Contains(names, one.Subject) {
			names = append(names, one.Subject)
		}
	}
	return names
}

func (c *cells) row() table.Row {
	row := make(table.Row, len(c))
	for i, lines := range c {
		row[i] = strings.Join(lines, "\n")
	}
	return row
}

// intro says where, when and how was measured.
func (r *Report) intro() string {
	h := &r.Header
	var b strings.Builder
	b.WriteString(h.place())
	fmt.Fprintf(&b, "turns per test and subject: %d, in a process each, of %d runs (3 if the first takes over a second)\n", h.Count, h.Runs)
	fmt.Fprintf(&b, "first: run 1; steady: mean of the others without the best and the worst; ratio: steady to that of %s\n", h.Base)
	if h.Scale != 1 {
		fmt.Fprintf(&b, "QUICK: all streams are cut to 1/%d of the length described, so caches and pages weigh differently: do not quote\n", h.Scale)
	}
	b.WriteString(h.interruption())
	return b.String()
}

// place says what was measured, where and when.
func (h *Header) place() string {
	return fmt.Sprintf("%s %s, %s\n%s\n", h.command(), h.Date.Format("2006-01-02 15:04"), h.Go, h.Machine)
}

func (h *Header) interruption() string {
	if !h.Interrupted {
		return ""
	}
	return "INTERRUPTED: only what was finished is shown\n"
}

// notes gives the errors, and what is to know about the subjects shown.
func (r *Report) notes() string {
	var b strings.Builder
	for i := range r.Results {
		if one := &r.Results[i]; one.Error != "" {
			fmt.Fprintf(&b, "ERROR %s %s: %s\n", one.Test, one.Subject, one.Error)
		}
	}
	for _, s := range r.Header.Subjects {
		if s.Note != "" {
			fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Note)
		}
	}
	return b.String()
}
