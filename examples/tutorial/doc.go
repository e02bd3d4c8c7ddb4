// Package tutorial is the code of docs/TUTORIAL.md and docs/LIFETIMES.md, as
// examples that the tests run. A rule in internal/lint holds the pages to it: a
// block of code there is what stands here, and what is said to be printed is
// printed.
//
// Mistakes that a tool reports, or that end a process, cannot be among the
// examples: they are programs in folder testdata, and another rule runs the tools
// on them.
package tutorial
