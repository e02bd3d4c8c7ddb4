// Package turn runs one test on one subject in a process of its own.
//
// # Terms
//
// A run is one execution of a workload on a new context. A turn is a fresh
// process that makes some runs of one test on one subject: the first pays for
// fresh pages, the later ones reuse what the allocator kept. An [Order] says
// what a turn has to do, an [Outcome] what came of it.
//
// # How a turn goes
//
// The parent starts a program with the order, as JSON, in an environment
// variable. For most subjects that is its own executable: [Serve] finds the
// order, does the work and prints the outcome, as JSON, to the standard output. A
// child that crashes or is killed prints none, and its turn ends in an error that
// quotes what it said last.
//
// # What is timed
//
// Opening a context, the workload, freeing its blocks one by one and closing
// the context are one run. The workload's own tables are made once, before the
// first run, so that no garbage of theirs falls into it; one collection comes
// then, and from there on the collector is left alone. In subjects off the Go
// heap it has nothing to do. On the Go heap what one run drops is collected
// during that or the next, and so in the time, as in a program that goes on
// living; to collect between the runs would hide the heap's larger cost.
//
// After the runs comes one more, untimed up to the point where the final
// freeing would begin; there everything is dropped in one piece, and that is
// timed. On the Go heap it is one collection.
//
// A crowd has no runs but rounds, in one context, and each of their three parts is
// timed by itself. It is dropped from a second context.
//
// A CPU profile, if the order asks for one, is taken of further runs at the very
// end, so that the numbers are those of a process without a profiler.
package turn
