// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.

//go:build unix || windows

package modernc

import (
	"unsafe"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// shortMax is the number of characters that fit into a string object.
const shortMax = 15

// str is a string object of 32 bytes. Up to shortMax characters lie in it, more
// of them in a body of their own; either ends in a zero byte that size and
// limit do not count. libstdc++ keeps a pointer to the characters in both
// cases; here an empty body says where they are, so that a string may be moved
// by copying its bytes. The requests are the same.
type str struct {
	body  ref
	_     [8 - unsafe.Sizeof(uintptr(0))]byte
	size  uint32 // characters
	limit uint32 // characters that fit before the body must grow
	short [shortMax + 1]byte
}

var _ [work.StringSize]byte = [unsafe.Sizeof(str{})]byte{}

func emptyString() str { return str{limit: shortMax} }

// buffer returns the room for characters and the zero byte.
func (s *str) buffer() []byte {
	if isNone(s.body) {
		return s.short[:]
	}
	return slice[byte](s.body, int(s.limit)+1)
}

// construct makes a string of chars in the raw memory at s, with a body of
// exactly the length that is needed.
func (w *runner) construct(s *str, chars []byte) {
	s.size = uint32(len(chars))
	if len(chars) <= shortMax {
		s.body, s.limit = none(), shortMax
		copy(s.short[:], chars)
		s.short[len(chars)] = 0
		return
	}
	w.count.Alloc(len(chars) + 1)
	s.body, s.limit = w.heap.alloc(len(chars)+1), s.size
	b := slice[byte](s.body, len(chars)+1)
	copy(b, chars)
	b[len(chars)] = 0
}

// destroy frees the body of s, if it has one.
func (w *runner) destroy(s *str) {
	if isNone(s.body) {
		return
	}
	w.count.Free()
	w.heap.free(s.body)
	s.body = none()
}

// appendChar adds a character at the end of s.
func (w *runner) appendChar(s *str, c byte) {
	if s.size == s.limit {
		w.growString(s)
	}
	b := s.buffer()
	b[s.size], b[s.size+1] = c, 0
	s.size++
}

// growString doubles what fits into s.
func (w *runner) growString(s *str) {
	limit := 2 * s.limit
	w.count.Alloc(int(limit) + 1)
	body := w.heap.alloc(int(limit) + 1)
	copy(slice[byte](body, int(limit)+1), s.buffer())
	w.destroy(s)
	s.body, s.limit = body, limit
}

// clear empties s, which keeps its body.
func (s *str) clear() {
	s.size = 0
	s.buffer()[0] = 0
}

// sum returns a checksum over the ends of s.
func (s *str) sum() uint64 {
	b := s.buffer()
	v := work.Mix(uint64(s.size), uint64(b[0]))
	return work.Mix(v, uint64(b[max(s.size, 1)-1]))
}
