package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// defaultLive are the numbers of live blocks to measure unless others are asked
// for, as far as there is memory.
var defaultLive = []int{1_000, 100_000, 10_000_000, 100_000_000}

// mostLive is beyond all memory, and multiplied by the bytes of a block still a number.
const mostLive = int64(1) << 50

// mostCrowds is how many columns the table has room for.
const mostCrowds = 6

// scaleFormats are the formats that can show crowds.
var scaleFormats = []string{"table", "json"}

// scaleFlags are the flags of perfsuite scale.
type scaleFlags struct {
	rawFlags
	live string
}

func newScaleSet(f *scaleFlags) *flag.FlagSet {
	set := newSet("perfsuite scale")
	f.addSubjects(set)
	set.StringVar(&f.live, "live", "", "the `numbers` of blocks that live at a time, a comma list; default those of\n1000, 100000, 10000000 and 100000000 that take at most half of the memory")
	set.StringVar(&f.format, "format", scaleFormats[0], "the `format` of the report: table or json")
	return set
}

// runScale measures how the cost of an operation depends on the number of live
// blocks.
func runScale(args []string) (int, error) {
	var f scaleFlags
	set := newScaleSet(&f)
	if err := parseArgs(set, args); err != nil {
		return 0, err
	}
	c, err := f.parse(set.Args(), readRoom())
	if err != nil {
		return 0, usageError{err}
	}
	ctx, stop := untilStopped()
	defer stop()
	return c.start(ctx)
}

// parse understands the flags, on a machine with that much room.
func (f *scaleFlags) parse(args []string, r room) (*config, error) {
	switch {
	case len(args) != 0:
		return nil, fmt.Errorf("scale takes flags only, not %q", args[0])
	case !slices.Contains(scaleFormats, f.format):
		return nil, fmt.Errorf("scale has no format %q; valid are table, json", f.format)
	}
	live, err := findLive(f.live)
	if err != nil {
		return nil, err
	}
	c, err := f.config()
	if err != nil {
		return nil, err
	}
	if live == nil {
		live = c.defaultsThatFit(r)
	} else if err := c.mustFit(live, r); err != nil {
		return nil, err
	}
	for _, n := range live {
		c.streams = append(c.streams, newCrowdJob(n))
	}
	return c, nil
}

// findLive returns the numbers of the comma list, or nil if it is empty.
func findLive(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var live []int
	for _, item := range items(list) {
		n, err := strconv.Atoi(item)
		switch {
		case err != nil || n < 1 || int64(n) > mostLive:
			return nil, fmt.Errorf("-live %q: a number of blocks is 1 or more, and no more than this system can count", item)
		case slices.Contains(live, n):
			return nil, fmt.Errorf("-live has %d twice", n)
		}
		live = append(live, n)
	}
	if len(live) > mostCrowds {
		return nil, fmt.Errorf("-live has %d numbers; at most %d fit in a table", len(live), mostCrowds)
	}
	return live, nil
}

// newCrowdJob is a job that holds so many blocks.
func newCrowdJob(live int) job {
	crowd := work.NewCrowd(live)
	text := fmt.Sprintf("blocks of %d to %d B: allocate %s, replace %s, free all", work.CrowdLeast, work.CrowdMost, report.Number(crowd.Live), report.Number(crowd.Replace))
	if crowd.Rounds > 1 {
		text += fmt.Sprintf("; %s rounds", report.Number(crowd.Rounds))
	}
	return job{fmt.Sprint("live_", live), text, turn.Order{Crowd: crowd, Scale: 1}}
}

func printScaleHelp(w io.Writer) {
	fmt.Fprintf(w, `Scale tells how the cost of a block depends on how many others there are.

Usage: perfsuite scale [flags]

For each number of live blocks each subject, in a process of its own, allocates
that many small blocks of random sizes from %d to %d bytes and writes a byte of
each, frees random ones and allocates others in their place, as often as there
are blocks (%d to %d times), and frees all of them one by one.
Small numbers go through that in rounds. The report gives nanoseconds for each of
the three and the growth of resident memory per block, and then the time to drop
as many blocks in one piece, by closing their context.

The heap and the program's table, 8 bytes per block, have to fit in memory: a
number that would take more than is available on one of the subjects is refused
before anything is measured. A turn of 10,000,000 blocks takes some seconds and
one of 100,000,000 about a minute and 7 GiB, twice that on the Go heap.

With -native a last block of the table holds our heap against each malloc and the
best of them, a column for each number of blocks.

Flags:
`, work.CrowdLeast, work.CrowdMost, work.LeastReplaced, work.MostReplaced)
	printFlags(w, newScaleSet(new(scaleFlags)))
	fmt.Fprint(w, `
Examples:
  perfsuite scale
  perfsuite scale -native -subjects rb,native -live 1000,100000,10000000
  perfsuite scale -native -subjects rb,native:glibc -live 1000,100000000 -format json -o scale.json
`)
}
