package turn

import (
	"runtime"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// hold makes the rounds of a crowd. Then it fills it once more, on a new context,
// to time how long it takes to drop all of it in one piece.
func hold(h work.Holder, rounds int) (*Outcome, error) {
	h.Prepare()
	_ = touchFiles() // on systems that refuse, the pages count as growth
	runtime.GC()
	ready, _ := resident()
	out := &Outcome{Phases: new(Phases)}
	if err := h.Open(); err != nil {
		return nil, err
	}
	for range rounds {
		out.timeRound(h, ready)
	}
	out.Counts, out.RSS = h.Counts(), ready.growth()
	out.Seconds = []float64{out.Phases.Fill + out.Phases.Replace + out.Phases.Free}
	if err := h.Close(); err != nil {
		return nil, err
	}
	if peak, known := h.Peak(); known {
		out.Peak = &peak
	}
	return out, out.timeCrowdsDrop(h)
}

// timeRound makes a round, of which only the three parts are timed.
func (out *Outcome) timeRound(h work.Holder, ready memory) {
	out.Phases.Fill += timed(h.Fill)
	if out.FirstRSS == nil {
		out.FirstRSS = ready.growth()
	}
	out.Phases.Replace += timed(h.Replace)
	out.Checksum = work.Mix(out.Checksum, h.Sum())
	out.Phases.Free += timed(h.Free)
}

func (out *Outcome) timeCrowdsDrop(h work.Holder) (err error) {
	if err := h.Open(); err != nil {
		return err
	}
	h.Fill()
	h.Forget()
	out.Drop = new(timed(func() { err = h.Drop() }))
	return err
}

// timed returns the seconds that f takes.
func timed(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}
