package main

import (
	"fmt"
	"io"
)

// printHelp writes what -h shows.
func printHelp(w io.Writer) {
	fmt.Fprint(w, `Perfsuite compares heaps for Go on twelve workloads.

Usage: perfsuite [flags]
       perfsuite command [flags] [arguments]

Each test runs on each subject in a process of its own, 6 times on a new
context (3 times where the first run takes over a second). The report gives
the first run, which pays for fresh pages; the steady state, which is the mean
of the others without the best and the worst (with two others, of both); the
steady time as a ratio to that of the base; the memory that the subject
obtained and by how much the process grew; and the time to drop everything at
once instead of block by block. A run over everything takes about two minutes.

With -native the same is done in C++ on the mallocs of this system, and a last
block of the table holds our heap against the best of them. They are compiled
once and kept in the user's cache directory.

Flags:
`)
	printFlags(w, newFlagSet(new(rawFlags)))
	fmt.Fprint(w, "\nCommands (perfsuite command -h tells more):\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.text)
	}
	fmt.Fprint(w, `
Examples:
  perfsuite -quick
  perfsuite -run 1,5,10 -subjects goheap,modernc -count 3
  perfsuite -format html -o report.html
  perfsuite -count 6 -format json -o new.json && perfsuite compare old.json new.json
  perfsuite show -format html -o new.html new.json
  perfsuite -run 6 -subjects rb -cpuprofile cpu.pprof
  perfsuite -native -subjects rb,native -preload snmalloc=/opt/libsnmallocshim.so

Exit status: 0 all measured, 1 something failed, 2 wrong command line,
130 interrupted; the report then holds what was finished.
`)
}
