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
		tracker:  &progress.Tracker{Total: int64(turns)},
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

// stop ends the bar before anything else is printed, and leaves its last line.
func (p *progressBar) stop() {
	if p == nil {
		return
	}
	p.tracker.UpdateMessage("turns")
	if !p.tracker.IsDone() {
		p.tracker.MarkAsErrored()
	}
	p.writer.Stop()
	<-p.rendered
}

// isTerminal reports whether f is a character device that can move its cursor.
// That is near enough: the null device swallows a bar without harm.
func isTerminal(f *os.File) bool {
	if os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
