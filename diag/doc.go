// Package diag holds what a heap says about itself and its users: faults,
// guard bytes, statistics and blocks.
//
// These are mechanisms over addresses and sizes. The package knows no context;
// contexts know it. A [Fault] is the one value that misuse panics with: it
// tells what was done wrong, by which call, in whose memory, and shows the
// bytes that prove it. A [Stats] is a snapshot of the sizes of a heap, a
// [Block] one live allocation.
//
// The governing rule: nothing here changes the heap. A fault is raised before
// the damage spreads, and the context is usable afterwards.
package diag
