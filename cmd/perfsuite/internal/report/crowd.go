package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/stat"
)

// Crowd is what holding a number of small blocks took, in seconds per operation.
// It is nil in results of other tests. By how much the resident set grew is
// there as in these: when all blocks were live for the first time, in the place
// of the first run, and at most.
type Crowd struct {
	Live    int64   `json:"live"`    // blocks at a time
	Fill    float64 `json:"fill"`    // to allocate one
	Replace float64 `json:"replace"` // to free a random one and to allocate another
	Free    float64 `json:"free"`    // to free one when all are freed
}

// MedianCrowd returns the medians of turns with one crowd, or nil if there are
// none.
func MedianCrowd(turns []*Crowd) *Crowd {
	if len(turns) == 0 || turns[0] == nil {
		return nil
	}
	median := func(of func(*Crowd) float64) float64 {
		values := make([]float64, len(turns))
		for i, c := range turns {
			values[i] = of(c)
		}
		return stat.Median(values)
	}
	return &Crowd{
		Live:    turns[0].Live,
		Fill:    median(func(c *Crowd) float64 { return c.Fill }),
		Replace: median(func(c *Crowd) float64 { return c.Replace }),
		Free:    median(func(c *Crowd) float64 { return c.Free }),
	}
}

// crowdMeasure is one of the numbers about a crowd. Less is better in all.
type crowdMeasure struct {
	head   string // over a column
	text   string // what a ratio is of
	of     func(*Result) (v float64, known bool)
	format func(float64) string
}

var crowdMeasures = []crowdMeasure{
	{"fill, ns", "fill", func(r *Result) (float64, bool) { return r.Crowd.Fill, true }, nanoseconds},
	{"replace, ns", "replace", func(r *Result) (float64, bool) { return r.Crowd.Replace, true }, nanoseconds},
	{"free, ns", "free", func(r *Result) (float64, bool) { return r.Crowd.Free, true }, nanoseconds},
	{"resident +\nfilled, B", "resident, filled", func(r *Result) (float64, bool) { return r.perBlock(r.PeakFirstRSS) }, oneTenth},
	{"resident +\nat most, B", "resident, at most", func(r *Result) (float64, bool) { return r.perBlock(r.PeakRSS) }, oneTenth},
}

// perBlock divides what is known of a crowd by its blocks.
func (r *Result) perBlock(bytes *int64) (float64, bool) {
	v, ok := known(bytes)
	return v / float64(r.Crowd.Live), ok
}

// nanoseconds writes a time of some seconds in them, without a unit.
func nanoseconds(seconds float64) string { return significant(seconds*1e9, 3, 2) }

// oneTenth writes bytes per block, without a unit.
func oneTenth(bytes float64) string { return strconv.FormatFloat(bytes, 'f', 1, 64) }

// writeCrowds writes the table of a report about crowds.
func writeCrowds(w io.Writer, r *Report) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options.SeparateRows = true
	t.SetColumnConfigs(columns(testWidth))
	header := table.Row{"blocks", "subject"}
	for _, m := range crowdMeasures {
		header = append(header, m.head)
	}
	t.AppendHeader(append(header, "footprint", "drop, s"))
	for _, block := range r.byTest() {
		t.AppendRow(crowdBlock(block))
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n%s%s", r.crowdIntro(), t.Render(), r.notes(), r.crowdsBesideNative())
	return err
}

func crowdBlock(block []Result) table.Row {
	var c cells
	c[0] = describe(block)
	for i := range block {
		for j, cell := range crowdLine(&block[i]) {
			c[j+1] = append(c[j+1], cell)
		}
	}
	return c.row()
}

// crowdLine returns the cells of one subject from the second column on.
func crowdLine(r *Result) []string {
	line := []string{r.Subject}
	if !r.Measured() || r.Crowd == nil {
		return append(line, "failed", "-", "-", "-", "-", "-", "-")
	}
	for _, m := range crowdMeasures {
		cell := "-"
		if v, ok := m.of(r); ok {
			cell = m.format(v)
		}
		line = append(line, cell)
	}
	return append(line, optional(r.PeakFootprint), optionalSeconds(r.DropSeconds))
}

// crowdIntro says where, when and how was measured.
func (r *Report) crowdIntro() string {
	h := &r.Header
	return h.place() +
		fmt.Sprintf("turns per number of blocks and subject: %d, in a process each\n", h.Count) +
		"fill: allocate one and write a byte; replace: free a random one, allocate another, write a byte; free: one by one at the end\n" +
		"resident +: growth of the resident set per block, when all were live first, and at most; drop: all of them in one piece\n" +
		h.interruption()
}
