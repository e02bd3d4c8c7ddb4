package main

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"

// job is what all subjects do in turns: a test, or the playing of a stream.
type job struct {
	name  string
	text  string     // what it is, where the name does not tell
	order turn.Order // but for the subject and the runs
}

// jobs returns what the config asks for.
func (c *config) jobs() []job {
	if c.streams != nil {
		return c.streams
	}
	var all []job
	for _, t := range c.tests {
		all = append(all, job{name: t.String(), order: turn.Order{Test: t, Scale: c.scale}})
	}
	return all
}
