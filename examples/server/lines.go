package main

import (
	"bytes"
	"io"
	"slices"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
)

// line is a part of a text that lies outside the garbage collector, and lies
// there itself: it has a position and no slice.
type line struct{ off, n int }

// lines are the lines of a text.
type lines struct {
	text []byte
	all  []line
}

// split finds the lines of text, without their ends.
func split(mc *memctx.Context, text []byte) (lines, error) {
	count := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		count++
	}
	p, err := mc.AllocZeroed(count, int(unsafe.Sizeof(line{})))
	if err != nil {
		return lines{}, err
	}
	l := lines{text, unsafe.Slice((*line)(p), count)}
	off := 0
	for i := range l.all {
		n := bytes.IndexByte(text[off:], '\n')
		if n < 0 {
			n = len(text) - off
		}
		l.all[i] = line{off, n}
		off += n + 1
	}
	return l, nil
}

func (l lines) of(at line) []byte { return l.text[at.off : at.off+at.n] }

func (l lines) sort() {
	slices.SortFunc(l.all, func(a, b line) int { return bytes.Compare(l.of(a), l.of(b)) })
}

func (l lines) write(w io.Writer) error {
	for _, at := range l.all {
		if _, err := w.Write(l.of(at)); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}
