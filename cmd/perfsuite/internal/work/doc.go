// Package work holds what the twelve workloads of perfsuite share whatever heap
// serves them: their names and descriptions, the random numbers, the counters
// and the interface through which a child process drives them.
//
// # Terms
//
// A workload is one of the tests perf_1 to perf_12. A subject is a heap under
// test. A family is a set of subjects that share one copy of the workloads,
// because only a value set at run time tells them apart: the three trees of our
// own heap are one family. The stream of a workload is the sequence of its
// requests: allocations, reallocations and frees, with their sizes. A crowd is
// no workload but a number of small blocks that live at a time; what is done
// with one is told at [Crowd].
//
// # One text, a copy per family
//
// A heap behind an interface or a type parameter costs an indirect call for
// every request, which is more than the fastest of these heaps need to serve
// one. So the workloads exist once as text, in package floor, and the program
// in folder gen copies that text into a package for each family, changing
// nothing but the package clause. What differs between families is written by
// hand in the file heap.go of each: a type ref (an address off the Go heap, a
// real pointer on it) and a dozen short functions that the compiler inlines.
//
// # The governing rule
//
// The stream of a workload is the same in every family. The counters of
// [Counts] are kept by the workload, next to each request and not inside the
// heap, so that a family that asks for something else is found out. A checksum
// over a sample of what was written proves that the data got there.
//
// # What is asked for
//
// Sizes are those that libstdc++ asks for on a 64-bit system, on any system: a
// string object has 32 bytes and holds up to 15 characters itself, a longer
// body takes its length plus one; vectors double from one element; a list node
// of int takes 24 bytes and a map node of int to string 72.
package work

//go:generate go run ./gen
