// Perfsuite compares heaps for Go: our own with each of its trees, the Go
// heap, modernc.org/memory, and a bump pointer as the limit; and beside them,
// if asked for, the mallocs of the system (package native). It runs the twelve
// workloads perf_1 to perf_12 in the manner of CookMem's benchmark suite and
// prints a table, or writes the report for machines, for a browser or for a
// document. The command compare tells whether two reports differ by more than
// noise; the table of all commands is in command.go.
//
// # Where the workloads come from
//
// perf_1 to perf_4 are those of CookMem's public sources. Of perf_5 to perf_12
// only a sentence each was published; their counts were reconstructed until
// dlmalloc 2.8.6 took about the published time. They are comparable with each
// other within one report, not with CookMem's published numbers.
//
// # How a measurement moves through the program
//
// parseConfig turns the command line into a config. A suite goes through its
// tests; the subjects of a test take turns, one after another and count times,
// so that a drift of the machine hits all of them alike. A turn is a child
// process (package turn); it runs the workload (packages work/..., or for malloc
// the C++ in folder native) on a subject (package subject) and answers with times
// and counts. The suite checks that all subjects of a test were asked for the
// same, condenses the turns (package stat) and fills a report, which is written
// at the end in the format asked for (package report). Of one that was kept in JSON
// the command show writes the other formats later.
//
// Instead of a test the job may be a recorded stream (replay.go, package stream):
// it becomes a tape (package tape), which every child plays. Record (record.go,
// package shim) makes such streams of native programs. Or the job is a crowd
// (scale.go): a number of small blocks that live at a time.
//
// # The governing rule
//
// What is compared has done the same work: the same requests, counted by the
// workload and not by the heap, and the same data, proved by a checksum. A
// subject that differs is an error, not a row.
//
// # Exit status
//
// 0 if everything was measured; 1 if something failed, which the report names;
// 2 if the command line is wrong; 130 after an interrupt, when the report holds
// what was finished.
package main
