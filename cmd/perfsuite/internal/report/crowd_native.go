package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// crowdsBesideNative returns the last block of the table about crowds: our heap
// against each native subject and the best of them, a column for each number of
// blocks, so that a row tells how the ratio changes with that. It is empty if
// either was not measured.
func (r *Report) crowdsBesideNative() string {
	i := slices.IndexFunc(own, r.measured)
	natives := r.natives()
	if i < 0 || len(natives) == 0 {
		return ""
	}
	blocks := r.byTest()
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.SetColumnConfigs(ratioColumns(len(blocks)))
	header := table.Row{"", own[i] + " ÷"}
	for _, block := range blocks {
		header = append(header, liveOf(block))
	}
	t.AppendHeader(header)
	for _, m := range crowdMeasures {
		for j, name := range append(natives, bestNative) {
			t.AppendRow(m.ratioRow(j == 0, blocks, own[i], name))
		}
		t.AppendSeparator()
	}
	return fmt.Sprintf("\n%s as a multiple of the native subjects, by the number of live blocks\n%s\n", own[i], t.Render())
}

// bestNative stands for the best native subject of each column.
const bestNative = "the best of them"

// natives returns the names of the native subjects that were measured.
func (r *Report) natives() []string {
	var names []string
	for i := range r.Results {
		if one := r.Results[i]; isNative(one) && !slices.Contains(names, one.Subject) {
			names = append(names, one.Subject)
		}
	}
	return names
}

// liveOf returns the number of live blocks of a block of the table, or how the
// test is called if none of its subjects was measured.
func liveOf(block []Result) string {
	for i := range block {
		if c := block[i].Crowd; c != nil {
			return number(c.Live)
		}
	}
	return block[0].Test
}

// ratioColumns sets numbers to the right.
func ratioColumns(count int) []table.ColumnConfig {
	var configs []table.ColumnConfig
	for i := range count {
		configs = append(configs, table.ColumnConfig{Number: 3 + i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return configs
}

// ratioRow relates ours to another subject in each block.
func (m *crowdMeasure) ratioRow(named bool, blocks [][]Result, ours, other string) table.Row {
	row := table.Row{"", strings.TrimPrefix(other, nativePrefix)}
	if named {
		row[0] = m.text
	}
	for _, block := range blocks {
		mine := m.least(block, func(r *Result) bool { return r.Subject == ours })
		theirs := m.least(block, func(r *Result) bool { return r.Subject == other || other == bestNative && isNative(*r) })
		if mine == 0 || theirs == 0 {
			row = append(row, "-")
			continue
		}
		row = append(row, ratio(mine/theirs))
	}
	return row
}

// least returns the smallest positive number of the subjects that count, or 0 if
// there is none.
func (m *crowdMeasure) least(block []Result, counts func(*Result) bool) float64 {
	least := 0.0
	for i := range block {
		one := &block[i]
		if one.Crowd == nil || !one.Measured() || !counts(one) {
			continue
		}
		if v, ok := m.of(one); ok && v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	return least
}
