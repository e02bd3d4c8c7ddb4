package shim

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// variable names the folder for the logs to the library.
const variable = "COOKMEM_RECORD"

// Run runs a command with the library preloaded, on this process's standard
// files, and returns the logs in the folder, those with the most records first.
// The error of the command, if it ended with one, is an *exec.ExitError beside
// the logs.
func Run(library, dir string, command ...string) ([]*Log, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), variable+"="+dir, "LD_PRELOAD="+preload(library))
	failed := c.Run()
	if exit := (*exec.ExitError)(nil); failed != nil && !errors.As(failed, &exit) {
		return nil, failed
	}
	logs, err := openAll(dir)
	if err != nil {
		return nil, err
	}
	return logs, failed
}

// preload keeps what the user preloads, behind ours: that is then recorded.
func preload(library string) string {
	if others := os.Getenv("LD_PRELOAD"); others != "" {
		return library + ":" + others
	}
	return library
}

func openAll(dir string) ([]*Log, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		return nil, err
	}
	var logs []*Log
	for _, name := range names {
		l, err := openLog(name)
		if errors.Is(err, errNoLog) {
			continue
		}
		if err != nil {
			return nil, err
		}
		logs = append(logs, l)
	}
	slices.SortStableFunc(logs, func(a, b *Log) int { return cmp.Compare(b.Records, a.Records) })
	return logs, nil
}

// String describes the log by its program and process.
func (l *Log) String() string {
	return fmt.Sprintf("%s, process %d", strings.TrimSuffix(l.Program, " (deleted)"), l.Process)
}
