package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// profileName returns the file for the profile of a subject's turn, counted from
// one, or "" if there is none to be: the runtime of Go takes them, and a subject
// with a program of its own lives without it.
func (c *config) profileName(test, subject string, turn int) string {
	if c.profile == "" || c.program(subject).Path != "" {
		return ""
	}
	if c.turns() == 1 {
		return c.profile
	}
	end := filepath.Ext(c.profile)
	name := strings.TrimSuffix(c.profile, end) + "." + fileWord(test) + "." + subject
	if c.count > 1 {
		name += fmt.Sprint(".", turn)
	}
	return name + end
}

// fileWord makes a part of a file name of the name of a test. That of a stream may
// be a path.
func fileWord(test string) string { return strings.NewReplacer("/", "_", `\`, "_").Replace(test) }

// tryProfile looks for the folder of the profiles now and not in every turn, and
// says which subjects have none.
func (c *config) tryProfile() error {
	if c.profile == "" {
		return nil
	}
	for _, s := range c.subjects {
		if s.Program.Path != "" {
			fmt.Fprintf(os.Stderr, "perfsuite: -cpuprofile: no profile of %s, which is not a Go program\n", s.Name)
		}
	}
	_, err := os.Stat(filepath.Dir(c.profile))
	return err
}
