package main

import (
	"context"
	"runtime"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
)

// suite measures what a config asks for.
type suite struct {
	*config
	progress *progressBar
	turn     func(context.Context, turn.Order) (*turn.Outcome, error)
}

// run goes through all tests, or as far as ctx lets it.
func (s *suite) run(ctx context.Context) *report.Report {
	r := &report.Report{Header: report.Header{
		Machine: report.ThisMachine(),
		Go:      runtime.Version(),
		Date:    time.Now().Truncate(time.Second),
		Base:    s.base,
		Count:   s.count,
		Runs:    turn.Runs,
		Scale:   s.scale,
		Crowds:  s.jobs()[0].order.Live != 0,
		Streams: s.jobs()[0].order.Tape != "",
	}}
	for _, one := range s.subjects {
		r.Header.Subjects = append(r.Header.Subjects, report.Subject{Name: one.Name, Text: one.Text, Note: one.Note})
	}
	for _, j := range s.jobs() {
		r.Results = append(r.Results, s.runJob(ctx, j)...)
	}
	r.Header.Interrupted = ctx.Err() != nil
	return r
}

// runJob lets the subjects take turns at a job. A subject that fails takes no
// further turn. Subjects that an interrupt left without a turn are left out.
func (s *suite) runJob(ctx context.Context, j job) []report.Result {
	tallies := make([]*tally, len(s.subjects))
	for i, one := range s.subjects {
		tallies[i] = &tally{job: j, subject: one.Name}
	}
	for range s.count {
		for _, one := range tallies {
			if ctx.Err() == nil {
				s.takeTurn(ctx, one)
			}
		}
	}
	agree(tallies)
	var results []report.Result
	for _, one := range tallies {
		if len(one.outcomes) != 0 || one.err != nil {
			results = append(results, one.result())
		}
	}
	return results
}

func (s *suite) takeTurn(ctx context.Context, one *tally) {
	s.progress.next(one.job.name + " " + one.subject)
	if one.err != nil {
		s.progress.done()
		return
	}
	order := one.job.order
	order.Subject, order.Runs = one.subject, turn.Runs
	order.Profile = s.profileName(one.job.name, one.subject, len(one.outcomes)+1)
	out, err := s.turn(ctx, order)
	switch {
	case err == nil:
		one.outcomes = append(one.outcomes, out)
	case ctx.Err() == nil:
		one.err = err
	default:
		return
	}
	s.progress.done()
}
