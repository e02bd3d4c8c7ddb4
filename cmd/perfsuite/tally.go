package main

import (
	"fmt"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/stat"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// tally collects the turns of one subject at one job.
type tally struct {
	job      job
	subject  string
	outcomes []*turn.Outcome
	err      error // ended the turns
}

// agree compares all turns of a job with the first one. A subject that was
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
	r := report.Result{Test: t.job.name, Text: t.job.text, Subject: t.subject}
	if t.err != nil {
		r.Error = t.err.Error()
	}
	if len(t.outcomes) == 0 {
		return r
	}
	var first, steady []float64
	var drop []*float64
	var peak, firstRSS, rss []*int64
	var crowds []*report.Crowd
	for _, out := range t.outcomes {
		one := turnOf(out)
		one.Crowd = crowdOf(t.job.order.Crowd, out)
		crowds = append(crowds, one.Crowd)
		r.Turns = append(r.Turns, one)
		r.Runs += len(out.Seconds)
		first, steady, drop = append(first, one.First), append(steady, one.Seconds), append(drop, one.DropSeconds)
		peak, firstRSS, rss = append(peak, one.PeakFootprint), append(firstRSS, one.PeakFirstRSS), append(rss, one.PeakRSS)
	}
	r.Counts = t.outcomes[0].Counts
	r.First, r.Seconds, r.DropSeconds = stat.Median(first), stat.Median(steady), medianKnown(drop)
	r.PeakFootprint, r.PeakFirstRSS, r.PeakRSS = medianKnown(peak), medianKnown(firstRSS), medianKnown(rss)
	r.Crowd = report.MedianCrowd(crowds)
	return r
}

// turnOf condenses the runs of a turn.
func turnOf(out *turn.Outcome) report.Turn {
	return report.Turn{
		First:         out.Seconds[0],
		Seconds:       stat.Steady(out.Seconds),
		PeakFootprint: out.Peak,
		PeakFirstRSS:  out.FirstRSS,
		PeakRSS:       out.RSS,
		DropSeconds:   out.Drop,
	}
}

// crowdOf relates the times of a turn with a crowd to its operations. It returns
// nil if there was none.
func crowdOf(c work.Crowd, out *turn.Outcome) *report.Crowd {
	if c.Live == 0 || out.Phases == nil {
		return nil
	}
	rounds := float64(c.Rounds)
	filled, replaced := rounds*float64(c.Live), rounds*float64(c.Replace)
	return &report.Crowd{
		Live:    int64(c.Live),
		Fill:    out.Phases.Fill / filled,
		Replace: out.Phases.Replace / replaced,
		Free:    out.Phases.Free / filled,
	}
}

// medianKnown returns the median, or nil where a value is not known.
func medianKnown[T int64 | float64](known []*T) *T {
	values := make([]float64, len(known))
	for i, v := range known {
		if v == nil {
			return nil
		}
		values[i] = float64(*v)
	}
	return new(T(stat.Median(values)))
}
