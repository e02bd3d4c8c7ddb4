package stream_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/stream"
)

// write returns the file of a stream that play writes.
func write(t testing.TB, source string, play func(*stream.Writer)) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, source)
	if err != nil {
		t.Fatal(err)
	}
	play(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read returns the events of a file up to its end, or to what is wrong with it.
func read(r io.Reader) (source string, events []stream.Event, counts stream.Counts, err error) {
	s, err := stream.NewReader(r)
	if err != nil {
		return "", nil, stream.Counts{}, err
	}
	for {
		e, err := s.Next()
		if err == io.EOF {
			return s.Source(), events, s.Counts(), nil
		}
		if err != nil {
			return s.Source(), events, s.Counts(), err
		}
		events = append(events, e)
	}
}

// script plays random events and notes what a reader must return.
type script struct {
	rand   *rand.Rand
	live   []stream.Event // as they were allocated, sizes kept up to date
	events []stream.Event
}

// play writes count events.
func (s *script) play(w *stream.Writer, count int) {
	for range count {
		switch k := s.rand.IntN(100); {
		case k == 0 && s.rand.IntN(20) == 0:
			w.Reset()
			s.live = nil
			s.note(stream.Event{Kind: stream.Reset})
		case k < 50 || len(s.live) == 0:
			s.alloc(w)
		case k < 60:
			b := &s.live[s.rand.IntN(len(s.live))]
			e := stream.Event{Kind: stream.Realloc, Slot: b.Slot, Old: b.N, N: s.size()}
			w.Realloc(b.Slot, e.N)
			b.N = e.N
			s.note(e)
		default:
			i := s.rand.IntN(len(s.live))
			b := s.live[i]
			w.Free(b.Slot)
			s.live = slices.Delete(s.live, i, i+1)
			s.note(stream.Event{Kind: stream.Free, Slot: b.Slot, Old: b.N})
		}
	}
}

func (s *script) alloc(w *stream.Writer) {
	e := stream.Event{N: s.size()}
	switch s.rand.IntN(4) {
	case 0:
		e.Kind = stream.Zeroed
		e.Slot = w.Zeroed(e.N)
	case 1:
		e.Align = 1 << (5 + s.rand.IntN(10))
		e.Slot = w.Alloc(e.N, e.Align)
	default:
		e.Slot = w.Alloc(e.N, 1<<s.rand.IntN(5))
	}
	s.live = append(s.live, e)
	s.note(e)
}

// size returns small sizes as often as large ones.
func (s *script) size() int { return int(s.rand.Int32() >> s.rand.IntN(31)) }

func (s *script) note(e stream.Event) { s.events = append(s.events, e) }
