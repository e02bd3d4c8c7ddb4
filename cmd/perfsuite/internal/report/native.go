package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/stat"
)

// nativePrefix begins the names of the subjects on a malloc of the system.
const nativePrefix = "native:"

// own are our subjects. The first one that was measured is held against the
// native ones; the others differ from it in the tree or the pages only.
var own = []string{"rb", "avl", "trie", "huge"}

// contest is a measure in which a subject is held against the best native one,
// whoever that is in a test.
type contest struct {
	Measure
	ratio, best string    // heads of its two columns
	all         []float64 // the ratios so far
}

func contests() []contest {
	all := []contest{
		{ratio: "steady\n÷", best: "fastest, s"},
		{ratio: "first\n÷", best: "fastest, s"},
		{ratio: "resident +\nrun 1, ÷", best: "smallest"},
		{ratio: "resident +\nall runs, ÷", best: "smallest"},
	}
	for i, name := range []string{"seconds", "first", "peak_first_rss", "peak_rss"} {
		all[i].Measure, _ = FindMeasure(name)
	}
	return all
}

// besideNative returns the last block of the table: our heap against the best
// native subject of each test. It is empty if either was not measured.
func (r *Report) besideNative() string {
	i := slices.IndexFunc(own, r.measured)
	if i < 0 || !slices.ContainsFunc(r.Results, isNative) {
		return ""
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	all := contests()
	t.SetColumnConfigs(contestColumns(len(all)))
	t.AppendHeader(contestRow("test", all, func(c *contest) (ratio, best string) { return c.ratio, c.best }))
	for _, block := range r.byTest() {
		t.AppendRow(contestRow(block[0].Test, all, func(c *contest) (ratio, best string) { return c.hold(block, own[i]) }))
	}
	t.AppendSeparator()
	t.AppendRow(contestRow("geometric mean", all, (*contest).mean))
	return fmt.Sprintf("\n%s as a multiple of the best native subject of each test\n%s\n", own[i], t.Render())
}

// measured reports whether a subject has a time in any test.
func (r *Report) measured(name string) bool {
	return slices.ContainsFunc(r.Results, func(one Result) bool { return one.Subject == name && one.Measured() })
}

func isNative(r Result) bool { return strings.HasPrefix(r.Subject, nativePrefix) && r.Measured() }

// contestColumns sets numbers to the right.
func contestColumns(contests int) []table.ColumnConfig {
	var configs []table.ColumnConfig
	for i := range contests {
		configs = append(configs, table.ColumnConfig{Number: 2 + 2*i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return configs
}

func contestRow(name string, all []contest, cells func(*contest) (ratio, best string)) table.Row {
	row := table.Row{name}
	for i := range all {
		ratio, best := cells(&all[i])
		row = append(row, ratio, best)
	}
	return row
}

// hold returns how ours compares with the best native one in a block, and which
// that is with what number. Where either is not known or not positive there is
// nothing to compare.
func (c *contest) hold(block []Result, ours string) (quotient, best string) {
	least, mine := 0.0, 0.0
	for i := range block {
		one := &block[i]
		medians := one.Medians()
		v, ok := c.Of(&medians)
		switch {
		case !ok || v <= 0 || !one.Measured():
		case one.Subject == ours:
			mine = v
		case isNative(*one) && (least == 0 || v < least):
			least, best = v, strings.TrimPrefix(one.Subject, nativePrefix)+" "+c.Format(v)
		}
	}
	if mine == 0 || least == 0 {
		return "-", best
	}
	c.all = append(c.all, mine/least)
	return ratio(mine / least), best
}

// mean returns the geometric mean of the ratios so far.
func (c *contest) mean() (mean, best string) {
	if len(c.all) == 0 {
		return "-", ""
	}
	return ratio(stat.GeoMean(c.all)), fmt.Sprintf("tests %d", len(c.all))
}
