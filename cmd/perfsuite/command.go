package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// command is one of the things that perfsuite can do. A word in front of all
// flags chooses it; without one the suite is run.
type command struct {
	name string
	text string // what it does, in a line of the help

	// run does it with the arguments behind the name and returns the exit
	// status. Of its errors flag.ErrHelp asks for the help, a usageError blames
	// the command line, and any other is a failure.
	run func(args []string) (status int, err error)

	help func(io.Writer)
}

// commands returns the commands in the order of the help.
func commands() []command {
	return []command{
		{"compare", "tell a change from noise in two reports", runCompare, printCompareHelp},
		{"record", "write down what a program asks of malloc", runRecord, printRecordHelp},
		{"replay", "play recorded streams on the heaps", runReplay, printReplayHelp},
		{"scale", "hold more and more small blocks at a time", runScale, printScaleHelp},
		{"show", "show a report that was kept", runShow, printShowHelp},
		{"window", "make the stream of a program that replaces its blocks", runWindow, printWindowHelp},
		{"help", "tell about a command", runHelp, printHelp},
	}
}

// suiteCommand is what a command line without a command means.
func suiteCommand() command { return command{run: runMeasure, help: printHelp} }

// usageError is an error of whoever wrote the command line. Its text is one line
// that names what would have been valid.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// newSet returns an empty set of flags for a command. It prints nothing by
// itself: execute does.
func newSet(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

// parseArgs parses the flags of a command. It returns flag.ErrHelp or a
// usageError.
func parseArgs(set *flag.FlagSet, args []string) error {
	err := set.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usageError{err}
}

// parseFiles is parseArgs for a command whose arguments are files. A flag behind
// them, where package flag takes it for another file, is an error.
func parseFiles(set *flag.FlagSet, args []string) error {
	if err := parseArgs(set, args); err != nil {
		return err
	}
	for _, name := range set.Args() {
		if len(name) < 2 || name[0] != '-' {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return usagef("%s stands behind the files, and flags come first; perfsuite help names them", name)
		}
	}
	return nil
}

// printFlags writes what a help says about the flags of a set.
func printFlags(w io.Writer, set *flag.FlagSet) {
	set.SetOutput(w)
	set.PrintDefaults()
}

// choose finds the command that the arguments ask for and what is left of them.
func choose(args []string) (command, []string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return suiteCommand(), args, nil
	}
	c, err := findCommand(args[0])
	return c, args[1:], err
}

func findCommand(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return command{}, usagef("unknown command %q; valid are %s, or flags alone to run the suite", name, strings.Join(names, ", "))
}

// errInterrupted is what a command returns that was stopped before it had anything
// to show.
var errInterrupted = errors.New("interrupted")

// execute is the parent's side: from the arguments to the exit status.
func execute(args []string) int {
	c, rest, err := choose(args)
	status := 0
	if err == nil {
		status, err = c.run(rest)
	}
	if errors.Is(err, flag.ErrHelp) {
		err = c.showHelp()
	}
	switch usage := (usageError{}); {
	case errors.Is(err, errInterrupted):
		return fail(err, exitInterrupted)
	case errors.As(err, &usage):
		return fail(err, exitUsage)
	case err != nil:
		return fail(err, exitFailed)
	}
	return status
}

// showHelp writes the help on the standard output.
func (c *command) showHelp() error {
	var b bytes.Buffer
	c.help(&b)
	_, err := os.Stdout.Write(b.Bytes())
	return err
}

// runHelp prints the help of the command that args name, or the suite's.
func runHelp(args []string) (int, error) {
	if err := parseArgs(newSet("perfsuite help"), args); err != nil {
		return 0, err
	}
	switch len(args) {
	case 0:
		return 0, flag.ErrHelp
	case 1:
		c, err := findCommand(args[0])
		if err != nil {
			return 0, err
		}
		return 0, c.showHelp()
	}
	return 0, usagef("help takes one command; there are %d arguments", len(args))
}
