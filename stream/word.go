package stream

import (
	"encoding/binary"
	"errors"
	"io"
)

// The layout in doc.go: kinds of words and the numbers they are made of.
const (
	wordAlloc     = 0
	wordZeroed    = 1
	wordAligned   = 2
	wordRealloc   = 3
	wordFreeUsed  = 4
	wordFreeFreed = 5
	wordReset     = 6
	wordEnd       = 7

	kindBits  = 3
	firstBits = 4 // of the operand, in the first byte
	more      = 0x80

	magic   = "CKMS"
	version = 1

	leastAlign = 5 // log2 of the smallest alignment that is written
)

// appendWord appends a kind and its operand.
func appendWord(b []byte, kind byte, operand uint64) []byte {
	first := kind | byte(operand&(1<<firstBits-1))<<kindBits
	operand >>= firstBits
	if operand == 0 {
		return append(b, first)
	}
	return binary.AppendUvarint(append(b, first|more), operand)
}

var errOperand = errors.New("a number of more than 64 bits")

// readWord reads what appendWord appended.
func readWord(r io.ByteReader) (kind byte, operand uint64, err error) {
	first, err := r.ReadByte()
	if err != nil {
		return 0, 0, err
	}
	kind = first & (1<<kindBits - 1)
	operand = uint64(first&^more) >> kindBits
	if first&more == 0 {
		return kind, operand, nil
	}
	rest, err := binary.ReadUvarint(r)
	if err == nil && rest>>(64-firstBits) != 0 {
		err = errOperand
	}
	return kind, operand | rest<<firstBits, err
}

// distance codes a signed difference with its sign in the lowest bit.
func distance(to, from int) uint64 {
	d := int64(to) - int64(from)
	return uint64(d<<1 ^ d>>63)
}

// apply returns the number that has the coded distance from another one. The
// result of a damaged distance is any number, negative ones included.
func apply(from int, d uint64) int64 {
	return int64(from) + (int64(d>>1) ^ -int64(d&1))
}
