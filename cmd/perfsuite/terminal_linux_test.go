package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newTerminal returns both ends of a terminal of so many columns.
func newTerminal(t *testing.T, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// TestTableInATerminal wants the frame only where there is room for it.
func TestTableInATerminal(t *testing.T) {
	_, kept := keep(t, unchanged)
	for _, c := range []struct {
		columns uint16
		framed  bool
	}{{200, true}, {80, false}, {60, false}} {
		master, slave := newTerminal(t, c.columns)
		command := exec.Command(binary, "show", kept)
		command.Stdout = slave
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		text, _ := io.ReadAll(master) // which ends in an error when nobody writes any more
		if err := command.Wait(); err != nil || !strings.Contains(string(text), "perf_4") || strings.Contains(string(text), "│") != c.framed || strings.Contains(string(text), "\x1b") {
			t.Errorf("%d columns: %v\n%s", c.columns, err, text)
		}
	}
}

func TestNoTerminal(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := terminalWidth(f); n != 0 {
		t.Errorf("%d columns", n)
	}
}
