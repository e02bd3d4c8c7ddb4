package report

import (
	"encoding/json"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// Report is everything that one call of the suite found out.
type Report struct {
	Header  Header
	Results []Result // by test, then by subject, both in the order asked for
}

// Header says where, when and how a report came about.
type Header struct {
	Machine     Machine   `json:"machine"`
	Go          string    `json:"go"` // version of the toolchain
	Date        time.Time `json:"date"`
	Base        string    `json:"base"`              // subject that the table's ratios refer to
	Count       int       `json:"count"`             // turns of each test and subject
	Runs        int       `json:"runs"`              // per turn, if the first is not slow
	Scale       int       `json:"scale"`             // divides the streams; 1 is full
	Crowds      bool      `json:"crowds,omitempty"`  // the tests are crowds, and have neither runs nor a scale
	Streams     bool      `json:"streams,omitempty"` // the tests are recorded streams
	Interrupted bool      `json:"interrupted"`       // the user stopped the suite
	Subjects    []Subject `json:"subjects"`
}

// command is the command line that such a report comes from, without its flags.
func (h *Header) command() string {
	switch {
	case h.Crowds:
		return "perfsuite scale"
	case h.Streams:
		return "perfsuite replay"
	}
	return "perfsuite"
}

// Subject says what a heap is.
type Subject struct {
	Name string `json:"name"`
	Text string `json:"text"` // what it is, in a line
	Note string `json:"note"` // what the reader of its numbers should know, or empty
}

// Result is what one test on one subject gave. With an Error the numbers are
// those of the turns that were finished, or zero, and not to be compared.
type Result struct {
	Test    string  `json:"test"`
	Text    string  `json:"text,omitempty"` // what the test is, if it is none of the twelve
	Subject string  `json:"subject"`
	First   float64 `json:"first"`   // seconds of a turn's first run, median of turns
	Seconds float64 `json:"seconds"` // seconds of a warm run, median of turns
	Runs    int     `json:"runs"`    // timed runs in all turns
	work.Counts
	PeakFootprint *int64   `json:"peak_footprint"` // bytes that the subject says it obtained, or null
	PeakFirstRSS  *int64   `json:"peak_first_rss"` // bytes by which the resident set grew in a turn's first run, or null
	PeakRSS       *int64   `json:"peak_rss"`       // the same in all runs of a turn
	DropSeconds   *float64 `json:"drop_seconds"`   // to drop everything at once, median of turns, or null
	Crowd         *Crowd   `json:"crowd,omitempty"`
	Turns         []Turn   `json:"turns"` // those that were finished, in their order
	Error         string   `json:"error,omitempty"`
}

// Turn is what one process found out. The numbers of a Result are medians of
// these.
type Turn struct {
	First         float64  `json:"first"`
	Seconds       float64  `json:"seconds"`
	PeakFootprint *int64   `json:"peak_footprint"`
	PeakFirstRSS  *int64   `json:"peak_first_rss"`
	PeakRSS       *int64   `json:"peak_rss"`
	DropSeconds   *float64 `json:"drop_seconds"`
	Crowd         *Crowd   `json:"crowd,omitempty"`
}

// what says in a line what the test does, or is empty.
func (r *Result) what() string {
	if t, ok := work.Parse(r.Test); ok {
		return t.Text()
	}
	return r.Text
}

// Measured reports whether there is a time to show and to compare.
func (r *Result) Measured() bool { return len(r.Turns) != 0 && r.Error == "" }

// Failed reports whether any result has an error.
func (r *Report) Failed() bool {
	for i := range r.Results {
		if r.Results[i].Error != "" {
			return true
		}
	}
	return false
}

// MarshalJSON makes one array of the header and the results.
func (r Report) MarshalJSON() ([]byte, error) {
	all := []any{r.Header}
	for _, result := range r.Results {
		all = append(all, result)
	}
	return json.Marshal(all)
}
