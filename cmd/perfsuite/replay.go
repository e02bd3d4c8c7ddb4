package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/stream"
)

// floorMost is how many bytes a stream may ask for in all to be played on the
// floor, which frees nothing.
const floorMost = 4 << 30

func newReplaySet(f *rawFlags) *flag.FlagSet {
	set := newSet("perfsuite replay")
	f.addCommon(set)
	return set
}

// runReplay plays streams on the subjects.
func runReplay(args []string) (int, error) {
	var f rawFlags
	set := newReplaySet(&f)
	if err := parseArgs(set, args); err != nil {
		return 0, err
	}
	if set.NArg() == 0 {
		return 0, usagef("replay needs the files of streams, which record writes")
	}
	c, err := f.config()
	if err != nil {
		return 0, usageError{err}
	}
	dir, err := os.MkdirTemp("", "perfsuite-replay")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := c.addStreams(dir, set.Args()); err != nil {
		return 0, err
	}
	return c.start()
}

// addStreams makes a job of each file, whose tape lies in the folder.
func (c *config) addStreams(dir string, files []string) error {
	most := int64(0)
	for i, file := range files {
		j, counts, err := newReplay(file, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if slices.ContainsFunc(c.streams, func(other job) bool { return other.name == j.name }) {
			j.name = report.Printable(file)
		}
		c.streams = append(c.streams, j)
		most = max(most, counts.Bytes)
	}
	if most > floorMost {
		return c.dropFloor(most)
	}
	return nil
}

// newReplay makes the tape of a stream, and a job that plays it.
func newReplay(file, tapeFile string) (job, stream.Counts, error) {
	f, err := os.Open(file)
	if err != nil {
		return job{}, stream.Counts{}, err
	}
	defer f.Close()
	r, err := stream.NewReader(f)
	if err != nil {
		return job{}, stream.Counts{}, err
	}
	counts, err := tape.Make(tapeFile, r)
	text := fmt.Sprintf("at most %s in %d blocks live", mebibytes(counts.Peak), counts.Slots)
	if r.Source() != "" {
		text = r.Source() + "; " + text
	}
	return job{report.Printable(filepath.Base(file)), report.Printable(text), turn.Order{Tape: tapeFile, Scale: 1}}, counts, err
}

// dropFloor leaves the floor out of the comparison, if it is in it.
func (c *config) dropFloor(bytes int64) error {
	const name = "floor"
	if !slices.ContainsFunc(c.subjects, named(name)) {
		return nil
	}
	if c.base == name {
		return errors.New("the base floor frees nothing, and cannot play a stream that asks for " + mebibytes(bytes))
	}
	c.subjects = slices.DeleteFunc(slices.Clone(c.subjects), func(s subject.Subject) bool { return s.Name == name })
	c.problems = append(c.problems, errors.New("no floor: it frees nothing, and a stream asks for "+mebibytes(bytes)+" in all"))
	return nil
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func printReplayHelp(w io.Writer) {
	fmt.Fprint(w, `Replay plays recorded allocation streams on the heaps, like the twelve workloads.

Usage: perfsuite replay [flags] file...

The files come from perfsuite record, or from a context whose observer is a
stream.Recorder. Each stream is played on each subject in a process of its own,
6 times on a new context (3 times where the first takes over a second); what is
live at the stream's end is freed block by block in the time. Of each block the
first and the last byte and one in every page are written, and the ends are read
before it is freed, so that resident memory is comparable to that of the program.
The floor plays no stream that asks for more than 4 GiB in all, since it frees
nothing.

Flags:
`)
	printFlags(w, newReplaySet(new(rawFlags)))
	fmt.Fprint(w, `
Examples:
  perfsuite replay testdata/streams/*.ckms
  perfsuite replay -native -subjects rb,native -count 5 session.ckms
  perfsuite replay -subjects rb -cpuprofile cpu.pprof session.ckms
`)
}
