package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// benchUnits gives the measures their units in the Go benchmark format. benchstat
// shows those that begin with ns in seconds.
var benchUnits = []struct {
	measure, unit string
	factor        float64
}{
	{"seconds", "ns/op", 1e9},
	{"first", "first-ns/op", 1e9},
	{"peak_first_rss", "resident-first-B", 1},
	{"peak_rss", "resident-B", 1},
	{"peak_footprint", "footprint-B", 1},
	{"drop_seconds", "drop-ns/op", 1e9},
}

// writeBench writes the Go benchmark format: a line per turn, so that benchstat
// has something to count. The keys above hold for all lines; benchstat compares
// only what agrees in them, so they name what must agree, and the rest is in a
// line that it passes over.
func writeBench(w io.Writer, r *Report) error {
	h := &r.Header
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s, %s\n", h.command(), h.Date.Format("2006-01-02 15:04"), h.Go)
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/cookmem-go/cookmem/cmd/perfsuite\n", h.Machine.OS, h.Machine.Arch)
	if h.Machine.CPU != "" {
		fmt.Fprintf(&b, "cpu: %s\n", h.Machine.CPU)
	}
	fmt.Fprintf(&b, "scale: %d\n", h.Scale)
	for i := range r.Results {
		benchLines(&b, h, &r.Results[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// benchLines writes the turns of a result, or how it failed.
func benchLines(b *strings.Builder, h *Header, r *Result) {
	name := benchName(h, r)
	if r.Error != "" {
		fmt.Fprintf(b, "--- FAIL: %s: %s\n", name, oneLine(r.Error))
		return
	}
	runs := max(1, r.Runs/max(1, len(r.Turns)))
	for i := range r.Turns {
		fmt.Fprintf(b, "%s %d", name, runs)
		for _, u := range benchUnits {
			m, _ := FindMeasure(u.measure)
			if v, ok := m.Of(&r.Turns[i]); ok {
				fmt.Fprintf(b, " %s %s", tenths(v*u.factor), u.unit)
			}
		}
		b.WriteByte('\n')
	}
}

// tenths writes a number without an exponent, to a tenth of a nanosecond or byte.
func tenths(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// benchName names a result such that benchstat can put subjects side by side,
// with -col /subject. The number of processors comes last, as go test has it;
// without it a subject that ends in a number would lose that.
func benchName(h *Header, r *Result) string {
	return fmt.Sprintf("BenchmarkPerf/test=%s/subject=%s-%d", benchWord(r.Test), benchWord(r.Subject), max(1, h.Machine.Cores))
}

// benchWord replaces what would end a word or a part of a name.
func benchWord(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '/' || unicode.IsSpace(c) || !unicode.IsPrint(c) {
			return '_'
		}
		return c
	}, s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
