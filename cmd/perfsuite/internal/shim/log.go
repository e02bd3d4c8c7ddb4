package shim

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The file as c/shim.c writes it, in the machine's byte order.
const (
	logMagic   = "CKMSHIM1"
	recordSize = 32
	windowSize = 4096 * recordSize // the head has the first one
	programAt  = 16
	headSize   = 4096

	kindNone    = 0 // nothing was written here
	kindAlloc   = 1
	kindZeroed  = 2
	kindRealloc = 3
	kindFree    = 4
)

// Log is what one process image did.
type Log struct {
	Program string // path of the executable
	Process int
	Records int64 // allocations, reallocations and frees
	path    string
}

// record is one call, as logged.
type record struct {
	kind, align        uint32
	address, size, old uint64
}

// errNoLog says that a file is something else, or has not even a head.
var errNoLog = errors.New("not a log of the shim")

// openLog reads the head of a log and counts its records.
func openLog(path string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headSize)
	if _, err := io.ReadFull(f, head); err != nil || !bytes.HasPrefix(head, []byte(logMagic)) {
		return nil, errNoLog
	}
	program, _, _ := bytes.Cut(head[programAt:], []byte{0})
	l := &Log{
		Program: string(program),
		Process: int(binary.NativeEndian.Uint64(head[len(logMagic):])),
		path:    path,
	}
	l.Records, err = countRecords(f)
	return l, err
}

// countRecords looks for the first record that was not written. They are
// written one after the other, so that the search can halve.
func countRecords(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	low, high := int64(0), max(0, info.Size()-windowSize)/recordSize
	kind := make([]byte, 4)
	for low < high {
		middle := low + (high-low)/2
		if _, err := f.ReadAt(kind, windowSize+middle*recordSize); err != nil {
			return 0, err
		}
		if binary.NativeEndian.Uint32(kind) != kindNone {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// each calls do for every record.
func (l *Log) each(do func(record) error) error {
	f, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.NewSectionReader(f, windowSize, l.Records*recordSize), windowSize)
	b := make([]byte, recordSize)
	for range l.Records {
		if _, err := io.ReadFull(in, b); err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		err := do(record{
			kind:    binary.NativeEndian.Uint32(b),
			align:   binary.NativeEndian.Uint32(b[4:]),
			address: binary.NativeEndian.Uint64(b[8:]),
			size:    binary.NativeEndian.Uint64(b[16:]),
			old:     binary.NativeEndian.Uint64(b[24:]),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
