package turn

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"

const (
	// Runs is the number of runs of a full turn.
	Runs = 6

	// slowRuns are the runs of a turn whose first one took slowSeconds.
	slowRuns    = 3
	slowSeconds = 1.0
)

// Order is what a turn has to do.
type Order struct {
	Test    work.Test `json:"test"`
	Tape    string    `json:"tape,omitempty"` // file to be played instead of a test
	Subject string    `json:"subject"`
	Runs    int       `json:"runs"`              // fewer are made if the first one is slow
	Scale   int       `json:"scale"`             // divides the length of the streams; 1 is full
	Profile string    `json:"profile,omitempty"` // file for a CPU profile, or none

	// Crowd, unless it is empty, is to be held instead, and neither runs nor
	// scale matter. Its fields stand in the JSON beside the others.
	work.Crowd
}

// Outcome is what came of a turn.
type Outcome struct {
	Seconds  []float64   `json:"seconds"` // of each run
	Drop     *float64    `json:"drop"`    // seconds to drop everything at once, in subjects that can
	Counts   work.Counts `json:"counts"`  // of one run; all are the same
	Checksum uint64      `json:"checksum"`
	Peak     *int64      `json:"peak"`      // bytes that the subject says it obtained, if it can
	FirstRSS *int64      `json:"first_rss"` // bytes by which the resident set grew in the first run, if known
	RSS      *int64      `json:"rss"`       // the same in all runs
	Phases   *Phases     `json:"phases,omitempty"`
}

// Phases are what the parts of all rounds of a crowd took, in seconds. The
// outcome has their sum as its one run, and as the first run's growth that of
// the first time all blocks were live.
type Phases struct {
	Fill    float64 `json:"fill"`
	Replace float64 `json:"replace"`
	Free    float64 `json:"free"`
}
