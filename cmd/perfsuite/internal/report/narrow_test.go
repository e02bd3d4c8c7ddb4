package report

import (
	"strings"
	"testing"
)

func narrowed(t *testing.T, r *Report, width int) string {
	t.Helper()
	return written(t, func(b *strings.Builder) error { return WriteTable(b, r, width) })
}

// TestWideEnough wants the table itself where it fits or no width is known.
func TestWideEnough(t *testing.T) {
	for _, r := range []*Report{sample(), crowds()} {
		want := written(t, func(b *strings.Builder) error { return writeTable(b, r) })
		for _, width := range []int{0, 140, 1000} {
			if got := narrowed(t, r, width); got != want {
				t.Errorf("%d columns:\n%s", width, got)
			}
		}
	}
}

func TestNarrowTable(t *testing.T) {
	r := sample()
	for _, c := range []struct {
		width int
		wants []string
	}{
		{100, []string{
			"perf_11: ", "; 90,000 allocs, 90,000 frees, 19.5 MiB asked for",
			"  subject  first, s  steady, s  ratio  footprint  resident +    drop, s     runs\n",
			"  goheap      0.500      0.400   1.00    1.0 MiB     1.5 MiB  <0.000001        6\n",
			"  floor      failed          -      -          -           -          -        -\n",
			"geometric mean of the ratios to goheap\n", "  modernc                        1.00                                    tests 2\n",
			"ERROR perf_12 floor",
		}},
		{60, []string{"  goheap      0.500      0.400   1.00    1.0 MiB     1.5 MiB\n", "left out in 60 columns: runs; drop, s\n"}},
		{40, []string{"  goheap       0.400   1.00     1.5 MiB\n", "left out in 40 columns: runs; drop, s; footprint; first, s\n"}},
		{1, []string{"  goheap       0.400   1.00     1.5 MiB\n"}},
	} {
		text := narrowed(t, r, c.width)
		for _, want := range c.wants {
			if !strings.Contains(oneWidth(text), oneWidth(want)) {
				t.Errorf("%d columns lack %q:\n%s", c.width, want, text)
			}
		}
		_, table, _ := strings.Cut(text, "\n\n")
		table, _, _ = strings.Cut(table, "ERROR")
		for line := range strings.Lines(table) {
			if n := len(strings.TrimRight(line, "\n")); n > c.width && c.width >= 40 && !strings.HasPrefix(line, "left out") {
				t.Errorf("%d columns in %d: %s", n, c.width, line)
			}
		}
		if strings.Contains(text, "│") || strings.Contains(text, " \n") {
			t.Errorf("a frame or spaces at the end of a line:\n%s", text)
		}
	}
}

// oneWidth makes one line of a title that is broken anywhere.
func oneWidth(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestNarrowCrowds(t *testing.T) {
	text := narrowed(t, crowds(), 80)
	for _, want := range []string{
		"  subject   fill, ns  replace, ns  free, ns  resident +  resident +  drop, s\n",
		"                                              filled, B  at most, B\n",
		"  rb            10.0         20.0      5.00       100.0       100.0  0.00100\n",
		"left out in 80 columns: footprint\n",
		"live_1,000: blocks",
		"  native:b    failed",
		"rb as a multiple of the native subjects",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestNarrowBesideNative(t *testing.T) {
	r := crowds()
	r.Header.Crowds = false
	for width, want := range map[int]string{
		70: "rb as a multiple of the best native subject of each test",
		50: "left out in 50 columns: ",
	} {
		_, text, found := strings.Cut(narrowed(t, r, width), "ERROR")
		if !found || !strings.Contains(text, want) || !strings.Contains(text, "geometric mean") || strings.Contains(text, "│") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
