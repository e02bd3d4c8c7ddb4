// Package stream keeps what a program asks of its heap: the sequence of its
// allocations and frees, in a compact file, so that it can be played again on
// any heap.
//
// # Terms
//
// An event is one request: a new block, a block brought to another size, a block
// given back, or all blocks dropped at once. A slot is the name of a live block:
// a small number, given to another block once this one is gone. A stream is a
// sequence of events from the first block on; what is still live at its end was
// live when the program ended.
//
// What a stream leaves out: the time between events, who asked, and what was
// written into the blocks.
//
// # The governing invariant
//
// A new block takes the slot that was given back last, or the next unused one if
// none is free. Writer and reader keep the same books about it (ledger.go), so
// the slot of a new block is never written down, and the number of slots is the
// largest number of blocks that were ever live together.
//
// # The layout
//
// A file is one gzip member, whose checksum covers all that follows:
//
//	"CKMS"            4 bytes
//	version           1 byte, 1
//	source            uvarint length, and that many bytes of UTF-8
//	events            words, see below
//	end               the word of kind 7
//	counts            7 uvarints: allocs, reallocs, frees, resets, bytes asked
//	                  for, most blocks live, most bytes live
//
// A uvarint is what encoding/binary makes of it. A word is a kind and an operand
// together, in as few bytes as they need:
//
//	bit   7      6 5 4 3    2 1 0
//	     more   operand     kind      operand bits 0 to 3
//	     more   operand bits 4 to 10  if more was set; and so on, 7 bits a byte
//
// The kinds, their operands, and what follows the word:
//
//	0  a block                      size
//	1  a block that is zero         size
//	2  a block with an alignment    size; 1 byte: log2 of the alignment, 5 to 62
//	3  a block brought to a size    slot, as distance from the one used last; uvarint: size
//	4  a block given back           slot, as distance from the one used last
//	5  a block given back           slot, as distance from the one given back last
//	6  all blocks dropped           0
//	7  the end                      0
//
// The slot used last is that of the last new or resized block. A distance is
// signed, and written with the sign in its lowest bit (0, -1, 1, -2 are 0, 1, 2,
// 3). Programs give back either what they got a moment ago or one block after
// another, so most distances are small and alike; of kinds 4 and 5 the writer
// takes the one with the shorter word. gzip then sees what repeats. Streams of
// compilers and databases take between one and two bytes an event.
//
// The counts come last because a writer that streams knows them last. A reader
// derives them anew and compares.
//
// # How an event moves through the package
//
// A [Recorder], given to a context as its observer, turns addresses into slots
// and calls a [Writer]. The writer enters the event in its ledger, writes a word,
// and forgets it: its memory grows with the blocks that are live, not with the
// stream. A [Reader] returns events one at a time. It checks each against its own
// ledger, so that what it returns can be played without further checks: a slot
// that is freed holds a block, sizes are sizes, alignments are powers of two.
// Everything else is an error that wraps [ErrDamaged]; that includes a file that
// ends early.
package stream
