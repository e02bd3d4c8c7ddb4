// Package native makes subjects of the mallocs of this system: perfsuite's twin,
// the twelve streams in C++, on the C library's malloc and on others that take
// its place.
//
// # Terms
//
// The twin is the program in folder native of perfsuite. It does what a child
// process of Go does, in standard C++. An allocator is a shared library with a
// malloc; it is preloaded, that is, the dynamic linker loads it before the C
// library, so that all of the twin uses its malloc. A subject native:<name> is
// the twin with one allocator, and native:glibc the twin without any.
//
// # How a subject comes about
//
// Find looks for a C++ compiler and builds the twin, once for each compiler and
// text of the twin: it stays in the user's cache directory. Then it looks for
// the allocators where Linux distributions put them and adds those that the
// command line names. Each has to prove itself in a short turn, before the twin
// is measured with it.
//
// # The governing rule
//
// What cannot be had is said in a line and left out; the rest is measured. And
// a subject is what its name says: the twin ends with an error if its malloc
// does not come from the library it was given, because the dynamic linker goes
// on without one that it cannot load.
package native
