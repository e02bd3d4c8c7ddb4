package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/shim"
	"github.com/cookmem-go/cookmem/stream"
)

// recordFlags are the flags of perfsuite record.
type recordFlags struct {
	output, source, program string
}

func newRecordSet(f *recordFlags) *flag.FlagSet {
	set := newSet("perfsuite record")
	set.StringVar(&f.output, "o", "", "the `file` to write; needed")
	set.StringVar(&f.source, "source", "", "a `text` that says what was recorded; default the command")
	set.StringVar(&f.program, "program", "", "the `name` of the program to keep, if the command runs several;\ndefault the one that asked for most")
	return set
}

// runRecord runs a native program and writes its allocation stream.
func runRecord(args []string) (int, error) {
	var f recordFlags
	set := newRecordSet(&f)
	if err := parseArgs(set, args); err != nil {
		return 0, err
	}
	command := set.Args()
	switch {
	case f.output == "":
		return 0, usagef("record needs -o file")
	case len(command) == 0:
		return 0, usagef("record needs a command, behind its flags")
	}
	if f.source == "" {
		f.source = strings.Join(command, " ")
	}
	_, err := os.Lstat(f.output)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := tryOutput(f.output); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "perfsuite-record")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	leaveInterrupts()
	status, err := f.record(dir, command)
	if err != nil && isNew {
		removeFile(f.output)
	}
	return status, err
}

// leaveInterrupts leaves an interrupt from the terminal to the command, so that a
// service can be ended by one and its stream be kept. To ignore it would not do: a
// command inherits that.
func leaveInterrupts() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
}

// record runs the command and keeps one of its logs. How the command itself
// ended is told, and makes the status, but does not keep the file from being
// written: the stream of a program that crashed is worth as much as any.
func (f *recordFlags) record(dir string, command []string) (int, error) {
	logs, failed, err := runLogged(dir, command)
	if err != nil {
		return 0, err
	}
	l, err := f.choose(logs)
	if err != nil {
		return 0, errors.Join(failed, err)
	}
	counts, err := f.write(l)
	if err != nil {
		return 0, err
	}
	name := report.Printable(f.output)
	fmt.Fprintf(os.Stderr, "perfsuite: %s: %s\n%s: %s\n", name, report.Printable(l.String()), name, describeCounts(counts))
	listOthers(os.Stderr, logs, l)
	if failed != nil {
		return fail(fmt.Errorf("the command: %w", failed), exitFailed), nil
	}
	return 0, nil
}

// listOthers names the largest of the logs that are not kept.
func listOthers(w io.Writer, logs []*shim.Log, kept *shim.Log) {
	const most = 8
	listed := 0
	for _, l := range logs {
		switch {
		case l == kept:
			continue
		case listed < most:
			fmt.Fprintf(w, "left out: %s, %d events\n", report.Printable(l.String()), l.Records)
		}
		listed++
	}
	if listed > most {
		fmt.Fprintf(w, "left out: %d more\n", listed-most)
	}
}

// runLogged runs the command with the shim in front of its malloc.
func runLogged(dir string, command []string) (logs []*shim.Log, failed, err error) {
	library, err := shim.Build(dir)
	if err != nil {
		return nil, nil, err
	}
	logs, err = shim.Run(library, dir, command...)
	if logs != nil {
		return logs, err, nil
	}
	return nil, nil, err
}

// choose returns the log of the program that is wanted, the largest of them.
func (f *recordFlags) choose(logs []*shim.Log) (*shim.Log, error) {
	for _, l := range logs {
		if l.Records != 0 && (f.program == "" || filepath.Base(l.Program) == f.program) {
			return l, nil
		}
	}
	if f.program != "" {
		return nil, fmt.Errorf("no process of the command that was called %q asked for memory", f.program)
	}
	return nil, errors.New("nothing was recorded: is the program static, or privileged, or does it bring a malloc of its own?")
}

// write writes the log as a stream.
func (f *recordFlags) write(l *shim.Log) (stream.Counts, error) {
	file, err := os.Create(f.output)
	if err != nil {
		return stream.Counts{}, err
	}
	out := bufio.NewWriter(file)
	w, err := stream.NewWriter(out, f.source)
	if err == nil {
		err = errors.Join(l.Convert(w), w.Close(), out.Flush())
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return stream.Counts{}, err
	}
	return w.Counts(), nil
}

// describeCounts sums a stream up in a line.
func describeCounts(c stream.Counts) string {
	return fmt.Sprintf("%d allocs, %d reallocs, %d frees, %d resets; at most %d blocks of %d bytes live", c.Allocs, c.Reallocs, c.Frees, c.Resets, c.Slots, c.Peak)
}

func printRecordHelp(w io.Writer) {
	fmt.Fprint(w, `Record writes down what a native program asks of malloc, for perfsuite replay.

Usage: perfsuite record -o file [flags] -- command [arguments]

The command is run with a library of ours in front of malloc, on Linux, if a C
compiler is there to make it. Of the programs that the command runs, the one
that asked for most is kept, or the largest of the name given by -program; the
others are listed. While it runs, each call takes 32 bytes in $TMPDIR. An
interrupt goes to the command and ends it, not the recording.

The stream of a context in a Go program is recorded by the program itself, with
stream.NewRecorder as the observer in its options.

Flags:
`)
	printFlags(w, newRecordSet(new(recordFlags)))
	fmt.Fprint(w, `
Examples:
  perfsuite record -o sort.ckms -- sort -u words.txt
  perfsuite record -o cc1.ckms -program cc1 -- gcc -O2 -c main.c
`)
}
