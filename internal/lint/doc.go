// Package lint holds the rules of this repository as tests. What was said twice
// in a review is said here instead.
//
// # Terms
//
// A source is one text file of the tree, parsed if it is Go. A rule is a
// function from sources, or from what a tool printed, to complaints: lines that
// name a place and what is wrong there. A rule holds when it has nothing to
// complain about.
//
// # The governing rule
//
// Every rule can fail. Beside each stands a test that feeds it a bad example and
// requires the complaint; a rule that is happy with everything would otherwise
// never be noticed.
//
// # What is checked
//
// The sources are read with all build tags and for all systems, so that a
// mistake in a file for Windows is seen on Linux:
//
//   - imports point down the floors, and only there; nobody imports "C"
//   - unsafe, and modules of others, are imported where it is allowed
//   - every file is formatted, none has a mark of unfinished work
//   - every exported name has a comment that begins with it
//
// The go command is asked about the rest, which holds for the system on which
// the test runs:
//
//   - what memctx depends on
//   - go vet without exclusions, and staticcheck (a tool of the module in
//     folder tools; skipped with a reason where it cannot be had, and in
//     -short)
//   - the short ways of Alloc, Free and Realloc have no calls in them and put
//     nothing on the Go heap
//
// And the documents are held against the code: the tests that docs/CASES.md
// names exist, the invariants that the code quotes are those of
// docs/INVARIANTS.md, links and make targets lead somewhere, the program in
// README.md runs and prints what the README says, docs/TUTORIAL.md and
// docs/LIFETIMES.md quote code that the tests run, the mistakes of the latter are
// found by the tools that it names, and every exported type of the library is shown
// in an example.
package lint
