package turn

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// variable is the environment variable that carries the order to a child.
const variable = "COOKMEM_PERFSUITE_ORDER"

// Serve does what the environment orders, writes the outcome to w and reports
// whether there was an order at all. main calls it first. An interrupt from the
// terminal reaches parent and child alike; the child leaves it to the parent.
func Serve(w io.Writer) (ordered bool, err error) {
	text, ordered := os.LookupEnv(variable)
	if !ordered {
		return false, nil
	}
	signal.Ignore(os.Interrupt)
	var o Order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return true, fmt.Errorf("order: %w", err)
	}
	out, err := Do(o)
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(w).Encode(out)
}

// Do makes the runs of an order in this process. A heap that fails to serve a
// request makes it panic.
func Do(o Order) (*Outcome, error) {
	s, ok := subject.Find(o.Subject)
	if !ok {
		return nil, fmt.Errorf("no subject %q", o.Subject)
	}
	if o.Live != 0 {
		return hold(s.Hold(o.Crowd), o.Rounds)
	}
	r, err := o.runner(s)
	if err != nil {
		return nil, err
	}
	r.Prepare(o.Test)
	_ = touchFiles() // on systems that refuse, the pages count as growth
	runtime.GC()
	ready, _ := resident()
	out := new(Outcome)
	if err := out.timeRuns(r, o.Runs, ready); err != nil {
		return nil, err
	}
	if peak, known := r.Peak(); known {
		out.Peak = &peak
	}
	if err := out.timeDrop(r); err != nil || o.Profile == "" {
		return out, err
	}
	return out, profile(o.Profile, r, profileTime)
}

// runner returns the subject for the test or the tape.
func (o *Order) runner(s subject.Subject) (work.Runner, error) {
	if o.Tape == "" {
		return s.New(o.Scale), nil
	}
	t, err := tape.Load(o.Tape) // for as long as the process lives
	if err != nil {
		return nil, err
	}
	return s.Play(t), nil
}

// timeRuns makes the runs, compares what they asked for, and notes by how much
// the resident set grew from ready.
func (out *Outcome) timeRuns(r work.Runner, runs int, ready memory) error {
	for i := 0; i < runs; i++ {
		seconds, sum, err := timeRun(r)
		if err != nil {
			return err
		}
		if i == 0 {
			out.Counts, out.Checksum = r.Counts(), sum
			out.FirstRSS = ready.growth()
			if seconds > slowSeconds {
				runs = min(runs, slowRuns)
			}
		}
		if r.Counts() != out.Counts || sum != out.Checksum {
			return fmt.Errorf("run %d asked for %+v, sum %#x; run 1 for %+v, sum %#x", i+1, r.Counts(), sum, out.Counts, out.Checksum)
		}
		out.Seconds = append(out.Seconds, seconds)
	}
	out.RSS = ready.growth()
	return nil
}

func timeRun(r work.Runner) (seconds float64, sum uint64, err error) {
	start := time.Now()
	if err := r.Open(); err != nil {
		return 0, 0, err
	}
	sum = r.Body()
	r.Finish()
	err = r.Close()
	return time.Since(start).Seconds(), sum, err
}

// timeDrop makes the run that ends in dropping everything.
func (out *Outcome) timeDrop(r work.Runner) error {
	if err := r.Open(); err != nil {
		return err
	}
	r.Body()
	r.Forget()
	start := time.Now()
	err := r.Drop()
	out.Drop = new(time.Since(start).Seconds())
	return err
}
