// Package tape holds a stream of allocation events in the form in which child
// processes play it: steps of one size, checked before, to be read in place.
//
// A stream (package stream) is compact, which a player would pay for in the time
// that is measured. So the parent makes a tape of it once, a file, and every
// child, be it in Go or in C++, reads the same one.
//
// # The layout
//
// In the machine's own byte order, for a tape never leaves it:
//
//	magic    8 bytes, "CKMTAPE1"
//	slots    8 bytes, the number of slots
//	body     8 bytes, the number of steps up to the stream's end
//	steps    8 bytes, the number of all steps
//	steps of 24 bytes:
//	    kind    1 byte
//	    log     1 byte, of the block's alignment if that is above 16, else 0
//	    -       2 bytes
//	    slot    4 bytes
//	    n       8 bytes, the size asked for; of a reset how many drops follow
//	    old     8 bytes, the size that the block had
//
// # What is added to the stream
//
// A heap without a call that drops everything must free block by block, and
// that is what its users do. Behind each reset stand as many drops, one for each
// block that was live: a heap that can reset does so and skips them, others
// skip the reset and free. The steps behind the body are drops too, of what was
// live at the stream's end.
package tape
