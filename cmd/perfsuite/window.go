package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
	"github.com/cookmem-go/cookmem/stream"
)

// windowFlags are the flags of perfsuite window. A window is a program that holds a
// number of blocks and replaces them by others of random sizes.
type windowFlags struct {
	output        string
	blocks, turns int
	least, most   int
	inRandomOrder bool
}

func newWindowSet(f *windowFlags) *flag.FlagSet {
	set := newSet("perfsuite window")
	set.StringVar(&f.output, "o", "", "the `file` to write; needed")
	set.IntVar(&f.blocks, "blocks", 1024, "how many blocks are live")
	set.IntVar(&f.turns, "turns", 1_000_000, "how many blocks are allocated")
	set.IntVar(&f.least, "least", 16, "bytes of the smallest block")
	set.IntVar(&f.most, "most", 8000, "bytes of the largest block")
	set.BoolVar(&f.inRandomOrder, "random", false, "replace any block, not the oldest")
	return set
}

// runWindow writes the stream of a window.
func runWindow(args []string) (int, error) {
	var f windowFlags
	set := newWindowSet(&f)
	if err := parseArgs(set, args); err != nil {
		return 0, err
	}
	switch {
	case f.output == "":
		return 0, usagef("window needs -o file")
	case set.NArg() > 0:
		return 0, usagef("window takes flags only, not %q", set.Arg(0))
	case f.blocks < 1 || f.turns < 1:
		return 0, usagef("-blocks and -turns are at least 1")
	case f.least < 0 || f.most < f.least || f.most > most:
		return 0, usagef("-least and -most are sizes from 0 to %d, the smaller one first", most)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return 0, err
	}
	ctx, stop := untilStopped()
	defer stop()
	if err := errors.Join(f.write(ctx, file), file.Close()); err != nil {
		removeFile(f.output)
		return 0, err
	}
	return 0, nil
}

// removeFile removes what was written in vain, if it is a file. As root one could
// remove a device.
func removeFile(name string) {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		os.Remove(name)
	}
}

// most is the largest size that a window may have. Any heap can be asked for it.
const most = 1 << 30

// source says what a window is, for reports.
func (f *windowFlags) source() string {
	which := "the oldest"
	if f.inRandomOrder {
		which = "any"
	}
	return fmt.Sprintf("window of %d blocks of %d to %d bytes, %s replaced, %d turns", f.blocks, f.least, f.most, which, f.turns)
}

// write writes the stream, until ctx ends. The random numbers are those of the
// twelve workloads.
func (f *windowFlags) write(ctx context.Context, w io.Writer) error {
	s, err := stream.NewWriter(w, f.source())
	if err != nil {
		return err
	}
	rand := work.Rand(work.Seed)
	var slots []int
	for turn := range f.turns {
		if turn%(1<<12) == 0 && ctx.Err() != nil {
			return errInterrupted
		}
		size := rand.Between(uint64(f.least), uint64(f.most))
		if len(slots) < f.blocks {
			slots = append(slots, s.Alloc(size, 0))
			continue
		}
		i := turn % f.blocks
		if f.inRandomOrder {
			i = rand.Between(0, uint64(f.blocks-1))
		}
		s.Free(slots[i])
		slots[i] = s.Alloc(size, 0)
	}
	for _, slot := range slots {
		s.Free(slot)
	}
	return s.Close()
}

func printWindowHelp(w io.Writer) {
	fmt.Fprint(w, `Window makes a stream for perfsuite replay: a program that holds a number of
blocks and replaces the oldest, or any, by one of a random size, turn by turn.

Usage: perfsuite window -o file [flags]

Flags:
`)
	printFlags(w, newWindowSet(new(windowFlags)))
	fmt.Fprint(w, `
Examples:
  perfsuite window -o window.ckms -blocks 20000
  perfsuite replay -native window.ckms
`)
}
