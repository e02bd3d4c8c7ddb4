// Package bins keeps the small chunks of a heap that wait for their next use:
// the [Lists] of cached chunks, which Alloc and Free see first, and behind them
// the [Small] bins of free ones.
//
// A quick list is a stack of chunks of one class. Its chunks still count as in
// use for their neighbours, so pushing and popping touch no boundary tag but
// their own, and no two frees in a row ever coalesce and split again. A small
// bin holds free chunks of one exact size; its chunks have been coalesced, and
// a bitmap finds the next larger bin that is not empty in one instruction.
//
// Classes are exact up to 33 units of [chunk.Align]; above, each doubling of
// the size has 8 classes, up to 513 units (8 KiB and a head on 64-bit systems).
// Rounding up to a class wastes at most 1/8; in exchange a freed chunk serves
// any later request of a similar size. Lists that are exact all the way up fall
// off a cliff as soon as sizes are random.
//
// The governing invariant: a chunk in use of a size up to [MaxChunk] has
// exactly the size of a class, and every chunk of a list has the size of that
// list's class. All totals in bytes follow from counts.
//
// Links lie in the chunks' payloads as addresses; the heads of lists and bins
// lie in Go memory, which can move with a stack, and are therefore named by
// index and never by address. Nothing here knows what a head looks like or
// which context it serves: callers pass blocks and sizes.
//
// The package serves package memctx. It is exported because one may want to
// read it; its functions are no promise. Nothing in it is safe for concurrent
// use.
package bins
