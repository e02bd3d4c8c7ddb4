// Package shim records the allocation stream of a native program: it runs the
// program with a library of ours in front of its malloc, and makes a stream of
// what the library logged.
//
// The library is c/shim.c, embedded here and compiled where the recording takes
// place, because it must fit the program's libc. Each process image, that is
// each program that a process runs from one exec to the next, writes a log of
// its own: records of 32 bytes, an address for each block. Compilers and scripts
// are chains of processes, so which of them is meant can only be told
// afterwards, when it is known how much each did.
//
// A log becomes a stream by naming addresses by slots (package stream). What was
// allocated before logging began and is freed later is left out.
//
// It works on Linux, on dynamically linked programs that leave malloc to a
// library. A program with a malloc of its own inside, a static one, or one with
// privileges leaves no log, or an empty one.
package shim
