// Package goheap runs the workloads on Go's own heap. Strings, list nodes and
// map nodes are Go objects and their links real pointers, so the collector
// sees and marks them as in any Go program. To free a block is to drop the
// reference to it; the collector does the rest, when and as it does by default.
// The text of the workloads is a copy from package floor.
package goheap
