package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// Exit statuses.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ordered, err := turn.Serve(os.Stdout)
	switch {
	case err != nil:
		os.Exit(fail(err, exitFailed))
	case !ordered:
		os.Exit(execute(os.Args[1:]))
	}
}

// runMeasure is the main job: it runs the suite and writes the report.
func runMeasure(args []string) (int, error) {
	c, err := parseConfig(args)
	if err != nil {
		return 0, err
	}
	return c.start()
}

// start says which subjects cannot be had and measures the others.
func (c *config) start() (int, error) {
	for _, problem := range c.problems {
		fmt.Fprintln(os.Stderr, "perfsuite:", problem)
	}
	switch {
	case c.list:
		printList(os.Stdout, c.known)
		return 0, nil
	case len(c.subjects) == 0:
		return 0, errors.New("none of the subjects is there")
	}
	return measure(c)
}

// measure runs the suite and writes the report. The status tells what the
// report does.
func measure(c *config) (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := errors.Join(tryOutput(c.output), c.tryProfile()); err != nil {
		return 0, err
	}
	r := runSuite(ctx, c)
	if err := write(c.format, c.output, r); err != nil {
		return 0, err
	}
	switch {
	case r.Header.Interrupted:
		return exitInterrupted, nil
	case r.Failed():
		return exitFailed, nil
	}
	return 0, nil
}

// runSuite measures with a progress bar beside it.
func runSuite(ctx context.Context, c *config) *report.Report {
	p := newProgress(os.Stderr, c.turns())
	defer p.stop()
	s := &suite{config: c, progress: p, turn: func(ctx context.Context, o turn.Order) (*turn.Outcome, error) {
		return turn.Run(ctx, c.program(o.Subject), o)
	}}
	return s.run(ctx)
}

// tryOutput opens the output file for a moment, so that a wrong name is noticed
// now and not after two minutes of measuring. It leaves the content alone.
func tryOutput(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// write puts the report into the output file, or on the standard output if there
// is none.
func write(format report.Format, output string, r *report.Report) error {
	var b bytes.Buffer
	if err := format.Write(&b, r); err != nil {
		return err
	}
	if output != "" {
		return os.WriteFile(output, b.Bytes(), 0o644)
	}
	_, err := os.Stdout.Write(b.Bytes())
	return err
}

func fail(err error, status int) int {
	fmt.Fprintln(os.Stderr, "perfsuite:", err)
	return status
}

// printList names the tests and the subjects.
func printList(w io.Writer, subjects []subject.Subject) {
	for _, t := range work.Tests() {
		fmt.Fprintf(w, "%-8s %s\n", t, t.Text())
	}
	fmt.Fprintln(w)
	width := 8
	for _, s := range subjects {
		width = max(width, len(s.Name))
	}
	for _, s := range subjects {
		text := s.Text
		if s.Asked {
			text += " (only where -subjects names it)"
		}
		fmt.Fprintf(w, "%-*s %s\n", width, s.Name, text)
	}
}
