package main

import (
	"fmt"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/stat"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// tally collects the turns of one subject at one test.
type tally struct {
	test     work.Test
	subject  string
	outcomes []*turn.Outcome
	err      error // ended the turns
}

// agree compares all turns of a test with the first one. A subject that was
// asked for something else, or read other data back, gets an error.
func agree(tallies []*tally) {
	var first *turn.Outcome
	var name string
	for _, t := range tallies {
		for _, out := range t.outcomes {
			if first == nil {
				first, name = out, t.subject
			}
			if t.err == nil {
				t.err = differ(out, first, name)
			}
		}
	}
}

func differ(out, first *turn.Outcome, name string) error {
	switch {
	case out.Counts != first.Counts:
		return fmt.Errorf("it was asked for %+v, but %s for %+v", out.Counts, name, first.Counts)
	case out.Checksum != first.Checksum:
		return fmt.Errorf("it read back the checksum %#x, but %s %#x", out.Checksum, name, first.Checksum)
	}
	return nil
}

// result condenses the turns.
func (t *tally) result() report.Result {
	r := report.Result{Test: t.test.String(), Subject: t.subject, Turns: len(t.outcomes)}
	if t.err != nil {
		r.Error = t.err.Error()
	}
	if r.Turns == 0 {
		return r
	}
	var first, steady, drop []float64
	var peak, rss []*int64
	for _, out := range t.outcomes {
		r.Runs += len(out.Seconds)
		first = append(first, out.Seconds[0])
		steady = append(steady, stat.Steady(out.Seconds))
		drop = append(drop, out.Drop)
		peak, rss = append(peak, out.Peak), append(rss, out.RSS)
	}
	r.Counts = t.outcomes[0].Counts
	r.First, r.Seconds, r.DropSeconds = stat.Median(first), stat.Median(steady), stat.Median(drop)
	r.PeakFootprint, r.PeakRSS = medianKnown(peak), medianKnown(rss)
	return r
}

// medianKnown returns the median of sizes, or nil where one is not known.
func medianKnown(sizes []*int64) *int64 {
	values := make([]float64, len(sizes))
	for i, s := range sizes {
		if s == nil {
			return nil
		}
		values[i] = float64(*s)
	}
	median := int64(stat.Median(values))
	return &median
}
