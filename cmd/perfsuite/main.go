package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

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
	ctx, stop := untilStopped()
	defer stop()
	return c.start(ctx)
}

// untilStopped returns a context that ends when the user stops the program.
func untilStopped() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// start measures, unless it is asked for the list only, and writes the report.
func (c *config) start(ctx context.Context) (int, error) {
	r, err := c.measure(ctx)
	if r == nil {
		return 0, err
	}
	return c.deliver(r)
}

// measure says which subjects cannot be had and measures the others. It returns
// nil if there is nothing to be measured.
func (c *config) measure(ctx context.Context) (*report.Report, error) {
	for _, problem := range c.problems {
		complain(problem)
	}
	switch {
	case c.list:
		return nil, printList(os.Stdout, c.known)
	case len(c.subjects) == 0:
		return nil, errors.New("none of the subjects is there")
	}
	if err := errors.Join(tryOutput(c.output), c.tryProfile()); err != nil {
		return nil, err
	}
	return runSuite(ctx, c), nil
}

// deliver writes the report. The status tells what the report does.
func (c *config) deliver(r *report.Report) (int, error) {
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
// is none. A table fits into the terminal that it is written on.
func write(format report.Format, output string, r *report.Report) error {
	var b bytes.Buffer
	render := format.Write
	if width := terminalWidth(os.Stdout); output == "" && format.Name == "table" && width > 0 {
		render = func(w io.Writer, r *report.Report) error { return report.WriteTable(w, r, width) }
	}
	if err := render(&b, r); err != nil {
		return err
	}
	if output != "" {
		return os.WriteFile(output, b.Bytes(), 0o644)
	}
	_, err := os.Stdout.Write(b.Bytes())
	return err
}

// fail says in one line what went wrong, whatever names of files are in it.
func fail(err error, status int) int {
	complain(err)
	return status
}

// complain writes an error as a line.
func complain(err error) {
	line := strings.ReplaceAll(err.Error(), "\n", "; ")
	fmt.Fprintln(os.Stderr, "perfsuite:", report.Printable(line))
}

// printList names the tests and the subjects.
func printList(w io.Writer, subjects []subject.Subject) error {
	var b strings.Builder
	for _, t := range work.Tests() {
		fmt.Fprintf(&b, "%-8s %s\n", t, t.Text())
	}
	fmt.Fprintln(&b)
	width := 8
	for _, s := range subjects {
		width = max(width, len(s.Name))
	}
	for _, s := range subjects {
		text := s.Text
		if s.Asked {
			text += " (only where -subjects names it)"
		}
		fmt.Fprintf(&b, "%-*s %s\n", width, s.Name, text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
