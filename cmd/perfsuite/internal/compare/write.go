package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchmath"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
)

// WriteIntro says what is compared, and what the reader must know about it
// before he believes any difference.
func WriteIntro(w io.Writer, before, after *Side) error {
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s\nnew: %s\n", before.describe(), after.describe())
	all := slices.Concat(before.Headers, after.Headers)
	differ(&b, "machines", all, func(h *report.Header) string { return h.Machine.String() })
	differ(&b, "versions of Go", all, func(h *report.Header) string { return h.Go })
	if all[0].Scale != 1 {
		fmt.Fprintf(&b, "QUICK: all streams are cut to 1/%d\n", all[0].Scale)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// describe names the files of a side and when they were measured.
func (s *Side) describe() string {
	files := report.Printable(s.Files)
	var dates []string
	for _, h := range s.Headers {
		dates = append(dates, h.Date.Format("2006-01-02 15:04"))
	}
	return fmt.Sprintf("%s, %s, %s, %s", files, strings.Join(dates, " and "), s.Headers[0].Go, s.Headers[0].Machine)
}

// differ warns if the headers are not alike.
func differ(b *strings.Builder, what string, headers []report.Header, of func(*report.Header) string) {
	var seen []string
	for i := range headers {
		seen = withName(seen, of(&headers[i]))
	}
	if len(seen) > 1 {
		fmt.Fprintf(b, "DIFFERENT %s: %s\n", what, strings.Join(seen, " and "))
	}
}

// Write writes the table and, below it, what it comes to. It uses no colours.
func (t *Table) Write(w io.Writer) error {
	out := table.NewWriter()
	out.SetStyle(table.StyleLight)
	out.Style().Format.Header = text.FormatDefault
	out.SetTitle("%s: %s, median of the turns", t.Measure.Head, t.Measure.Text)
	out.SetColumnConfigs(columns())
	out.AppendHeader(table.Row{"test", "subject", "old", "new", "change", "p", "turns", ""})
	for i := range t.Rows {
		r := &t.Rows[i]
		if i > 0 && r.Test != t.Rows[i-1].Test {
			out.AppendSeparator()
		}
		out.AppendRow(t.line(r))
	}
	out.AppendSeparator()
	for _, m := range t.Means {
		out.AppendRow(t.meanLine(m))
	}
	_, err := fmt.Fprintf(w, "\n%s\n%s", out.Render(), t.notes())
	return err
}

func columns() []table.ColumnConfig {
	var configs []table.ColumnConfig
	for i := 3; i <= 7; i++ {
		configs = append(configs, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return configs
}

func (t *Table) line(r *Row) table.Row {
	row := table.Row{r.Test, r.Subject, t.cell(r.Old), t.cell(r.New), "", "", turns(r.Old, r.New), r.Verdict}
	if r.Compared() {
		row[4] = r.Comparison.FormatDelta(center(r.Old), center(r.New))
		row[5] = fmt.Sprintf("%.3f", r.Comparison.P)
	}
	return row
}

// cell gives a median and how far the interval of confidence reaches from it.
func (t *Table) cell(s *benchmath.Sample) string {
	if s == nil {
		return "-"
	}
	sum := summary(s)
	return fmt.Sprintf("%s ± %3s", t.Measure.Format(sum.Center), sum.PctRangeString())
}

// turns gives the number of turns of both sides, once if it is the same.
func turns(before, after *benchmath.Sample) string {
	count := func(s *benchmath.Sample) int {
		if s == nil {
			return 0
		}
		return len(s.Values)
	}
	a, b := count(before), count(after)
	if a == b {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%d, %d", a, b)
}

func (t *Table) meanLine(m Mean) table.Row {
	change := fmt.Sprintf("%+.2f%%", (m.New/m.Old-1)*100)
	return table.Row{"geomean", m.Subject, t.Measure.Format(m.Old), t.Measure.Format(m.New), change, "", "", fmt.Sprintf("tests %d", m.Tests)}
}

// notes sums the verdicts up and says how far to trust them.
func (t *Table) notes() string {
	better, worse, noise := t.Count(Better), t.Count(Worse), t.Count(Noise)
	compared := better + worse + noise
	var b strings.Builder
	fmt.Fprintf(&b, "%d better, %d worse, %d noise (p > %g)\n", better, worse, noise, t.Alpha)
	if chance := t.Alpha * float64(compared); better+worse > 0 && chance >= 1 {
		fmt.Fprintf(&b, "of %d comparisons about %.0f pass p = %g by chance alone\n", compared, chance, t.Alpha)
	}
	if n := t.tooFew(); n > 0 {
		fmt.Fprintf(&b, "TOO FEW TURNS in %d of %d comparisons for any verdict but noise: measure with -count %d or more\n", n, compared, t.need())
	}
	if t.hasNoInterval() {
		b.WriteString("± ∞: an interval of confidence needs 6 turns\n")
	}
	return b.String()
}

// need returns the number of turns on each side from which p can get below the
// threshold.
func (t *Table) need() int {
	n := 2
	for leastP(n, n) > t.Alpha {
		n++
	}
	return n
}

func (t *Table) hasNoInterval() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return r.Old != nil && len(r.Old.Values) < 6 || r.New != nil && len(r.New.Values) < 6
	})
}
