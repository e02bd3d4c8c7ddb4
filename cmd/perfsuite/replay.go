package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/stream"
)

func newReplaySet(f *rawFlags) *flag.FlagSet {
	set := newSet("perfsuite replay")
	f.addCommon(set)
	return set
}

// runReplay plays streams on the subjects.
func runReplay(args []string) (int, error) {
	var f rawFlags
	set := newReplaySet(&f)
	if err := parseFiles(set, args); err != nil {
		return 0, err
	}
	if set.NArg() == 0 {
		return 0, usagef("replay needs the files of streams, which record writes")
	}
	c, err := f.config()
	if err != nil {
		return 0, usageError{err}
	}
	ctx, stop := untilStopped()
	defer stop()
	r, err := c.replay(ctx, set.Args())
	if r == nil {
		return 0, err
	}
	return c.deliver(r)
}

// replay makes tapes of the files, measures, and removes the tapes. They are gone
// before the report is written, which ends the process if nobody reads it.
func (c *config) replay(ctx context.Context, files []string) (*report.Report, error) {
	dir, err := os.MkdirTemp("", "perfsuite-replay")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	err = c.addStreams(ctx, dir, files, newReplayRoom(readRoom(), dir))
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	return c.measure(ctx)
}

// addStreams makes a job of each file, whose tape lies in the folder.
func (c *config) addStreams(ctx context.Context, dir string, files []string, room replayRoom) error {
	for i, file := range files {
		j, err := c.newReplay(ctx, file, filepath.Join(dir, fmt.Sprint(i)), &room)
		if err != nil {
			return fmt.Errorf("%s: %w", report.Printable(file), err)
		}
		c.streams = append(c.streams, j)
	}
	return nil
}

// streamName returns what a file is called in the report: its last part, or all of
// it where another one is called so.
func (c *config) streamName(file string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(c.streams, func(j job) bool { return j.name == name })
	}
	name := report.Printable(filepath.Base(file))
	if taken(name) {
		name = report.Printable(file)
	}
	for i, once := 2, name; taken(name); i++ {
		name = fmt.Sprintf("%s (%d)", once, i)
	}
	return name
}

// newReplay makes the tape of a stream, and a job that plays it.
func (c *config) newReplay(ctx context.Context, file, tapeFile string, room *replayRoom) (job, error) {
	f, err := os.Open(file)
	if err != nil {
		return job{}, withoutName(err)
	}
	defer f.Close()
	r, err := stream.NewReader(stoppable{ctx, f})
	if err != nil {
		return job{}, err
	}
	made, err := room.makeTape(tapeFile, r)
	if err != nil {
		return job{}, err
	}
	text := fmt.Sprintf("at most %s in %s blocks live", report.Size(made.Peak), report.Number(int(made.Slots)))
	if r.Source() != "" {
		text = report.Short(r.Source()) + "; " + text
	}
	return job{c.streamName(file), text, turn.Order{Tape: tapeFile, Scale: 1}}, c.mustPlay(&made, room)
}

// withoutName drops the name of the file, which stands in front of all errors.
func withoutName(err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// stoppable is a file that ends in an error when its context does.
type stoppable struct {
	ctx  context.Context
	file io.Reader
}

func (s stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.file.Read(b)
}

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

A file of a few KiB can describe a stream of any length and size. Each event takes
24 bytes in $TMPDIR while it is played and in the memory of the player, a block's
end as many. All files together may take 4 GiB there, but no more than half of the
space or of the available memory. A stream that asks for more than a TiB in all, or
has more live than there is memory available for on one of the subjects, is refused
before anything is measured.

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
