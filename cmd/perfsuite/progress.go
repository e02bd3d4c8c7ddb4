package main

import (
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// progressBar shows how many turns are done. A nil bar shows nothing.
type progressBar struct {
	writer   progress.Writer
	tracker  *progress.Tracker
	rendered chan struct{} // closed when the last line is out
}

// newProgress starts a bar on f if that is a terminal, and returns nil if not.
func newProgress(f *os.File, turns int) *progressBar {
	if !isTerminal(f) {
		return nil
	}
	p := &progressBar{
		writer:   progress.NewWriter(),
		tracker:  &progress.Tracker{Total: int64(turns), RemoveOnCompletion: true},
		rendered: make(chan struct{}),
	}
	p.writer.SetOutputWriter(f)
	p.writer.SetMessageLength(18)
	p.writer.SetUpdateFrequency(200 * time.Millisecond)
	p.writer.Style().Visibility.Speed = false
	p.writer.AppendTracker(p.tracker)
	go func() {
		p.writer.Render()
		close(p.rendered)
	}()
	return p
}

// next names what runs now.
func (p *progressBar) next(what string) {
	if p != nil {
		p.tracker.UpdateMessage(what)
	}
}

// done counts a turn.
func (p *progressBar) done() {
	if p != nil {
		p.tracker.Increment(1)
	}
}

// stop clears the bar away before anything else is printed.
func (p *progressBar) stop() {
	if p == nil {
		return
	}
	p.tracker.MarkAsDone()
	p.writer.Stop()
	<-p.rendered
}

// isTerminal reports whether f is a character device, which is near enough: the
// null device swallows a bar without harm.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
