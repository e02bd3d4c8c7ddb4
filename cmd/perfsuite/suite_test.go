package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// script is a stand-in for child processes: it answers each turn and notes
// their order.
type script struct {
	answer func(turn.Order) (*turn.Outcome, error)
	orders []string
}

func (s *script) turn(_ context.Context, o turn.Order) (*turn.Outcome, error) {
	s.orders = append(s.orders, fmt.Sprint(o.Test, " ", o.Subject))
	return s.answer(o)
}

func outcome(seconds ...float64) *turn.Outcome {
	return &turn.Outcome{Seconds: seconds, Drop: new(0.25), Counts: work.Counts{Allocs: 3, Frees: 3, Bytes: 9}, Checksum: 1}
}

func runScript(t *testing.T, ctx context.Context, s *script, args ...string) *report.Report {
	t.Helper()
	c, err := parseConfig(args)
	if err != nil {
		t.Fatal(err)
	}
	return (&suite{config: c, turn: s.turn}).run(ctx)
}

func TestSuiteTakesTurns(t *testing.T) {
	s := &script{answer: func(turn.Order) (*turn.Outcome, error) { return outcome(1), nil }}
	runScript(t, t.Context(), s, "-run", "3,4", "-subjects", "rb,floor", "-count", "2")
	want := "perf_3 rb,perf_3 floor,perf_3 rb,perf_3 floor,perf_4 rb,perf_4 floor,perf_4 rb,perf_4 floor"
	if got := strings.Join(s.orders, ","); got != want {
		t.Errorf("turns %s\nwant %s", got, want)
	}
}

// TestSuiteMedian gives three turns with steady times 2, 9 and 4.
func TestSuiteMedian(t *testing.T) {
	steady := []float64{2, 9, 4}
	s := &script{}
	s.answer = func(turn.Order) (*turn.Outcome, error) {
		v := steady[len(s.orders)-1]
		out := outcome(10*v, v-1, v, v+1)
		rss := int64(v)
		out.FirstRSS, out.RSS = new(rss-1), &rss
		return out, nil
	}
	r := runScript(t, t.Context(), s, "-run", "3", "-subjects", "rb", "-count", "3")
	got := r.Results[0]
	if got.First != 40 || got.Seconds != 4 || *got.DropSeconds != 0.25 || got.Runs != 12 || len(got.Turns) != 3 || got.Allocs != 3 || got.Bytes != 9 || *got.PeakFirstRSS != 3 || *got.PeakRSS != 4 || got.PeakFootprint != nil {
		t.Errorf("%+v", got)
	}
	if second := got.Turns[1]; second.First != 90 || second.Seconds != 9 || *second.DropSeconds != 0.25 || *second.PeakRSS != 9 || second.PeakFootprint != nil {
		t.Errorf("second turn %+v", second)
	}
	if r.Failed() {
		t.Error("failed")
	}
}

// TestSuiteGoesOn lets one subject fail: the others and its other tests go on,
// and it takes no second turn at the test.
func TestSuiteGoesOn(t *testing.T) {
	s := &script{answer: func(o turn.Order) (*turn.Outcome, error) {
		if o.Subject == "rb" && o.Test == work.Growing {
			return nil, errors.New("child: killed")
		}
		return outcome(1), nil
	}}
	r := runScript(t, t.Context(), s, "-run", "3,4", "-subjects", "rb,floor", "-count", "2")
	if len(s.orders) != 7 {
		t.Errorf("turns %v", s.orders)
	}
	if len(r.Results) != 4 || r.Results[0].Error != "child: killed" || r.Results[0].Measured() {
		t.Fatalf("%+v", r.Results)
	}
	for _, one := range r.Results[1:] {
		if one.Error != "" || len(one.Turns) != 2 {
			t.Errorf("%+v", one)
		}
	}
	if !r.Failed() {
		t.Error("not failed")
	}
}

// TestSuiteComparesWork gives the second subject other requests, then other
// data.
func TestSuiteComparesWork(t *testing.T) {
	for name, spoil := range map[string]func(*turn.Outcome){
		"asked for": func(out *turn.Outcome) { out.Counts.Bytes++ },
		"checksum":  func(out *turn.Outcome) { out.Checksum++ },
	} {
		s := &script{answer: func(o turn.Order) (*turn.Outcome, error) {
			out := outcome(1)
			if o.Subject == "floor" {
				spoil(out)
			}
			return out, nil
		}}
		r := runScript(t, t.Context(), s, "-run", "3", "-subjects", "rb,floor")
		if r.Results[0].Error != "" || !strings.Contains(r.Results[1].Error, name) {
			t.Errorf("errors %q and %q, want %q in the second", r.Results[0].Error, r.Results[1].Error, name)
		}
	}
}

// TestSuiteInterrupted stops during the third turn.
func TestSuiteInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{}
	s.answer = func(turn.Order) (*turn.Outcome, error) {
		if len(s.orders) == 3 {
			cancel()
			return nil, errors.New("child: killed")
		}
		return outcome(1), nil
	}
	r := runScript(t, ctx, s, "-run", "3,4", "-subjects", "rb,floor")
	if !r.Header.Interrupted || r.Failed() || len(r.Results) != 2 || len(s.orders) != 3 {
		t.Errorf("%+v after %v", r, s.orders)
	}
}
