package stream_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/stream"
)

// TestLayout compares a file with the bytes that doc.go describes.
func TestLayout(t *testing.T) {
	file := write(t, "two", func(w *stream.Writer) {
		a := w.Alloc(5, 0)
		b := w.Alloc(100, 16)
		w.Zeroed(2048)
		w.Alloc(0, 64)
		w.Realloc(a, 300)
		w.Free(b)
		w.Free(a)
		w.Reset()
	})
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	const more = 0x80
	want := append([]byte("CKMS\x01\x03two"),
		5<<3,              // 5 bytes in slot 0
		more|4<<3, 100>>4, // 100 in slot 1
		more|1, more, 1, // 2048 zero bytes in slot 2: 0 + 0<<4 + 1<<11
		2, 6, // 0 bytes, aligned to 64, in slot 3
		5<<3|3, more|300&127, 300>>7, // slot 3-3 brought to 300
		2<<3|4, // slot 0+1 given back
		4,      // slot 0, the one used last
		6,      // all others
		7,      // the end
		4, 1, 2, 1, more|2453&127, 2453>>7, 4, more|2448&127, 2448>>7,
	)
	if !bytes.Equal(got, want) {
		t.Errorf("the file holds\n% x, want\n% x", got, want)
	}
}

// TestRoundTrip writes random events and reads them back.
func TestRoundTrip(t *testing.T) {
	s := &script{rand: rand.New(rand.NewPCG(segtest.Seed(t), 1))}
	file := write(t, "random events", func(w *stream.Writer) { s.play(w, 100_000) })
	source, events, counts, err := read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if source != "random events" {
		t.Errorf("source %q", source)
	}
	if !slices.Equal(events, s.events) {
		t.Fatal("the events differ")
	}
	if want := count(s.events); counts != want {
		t.Errorf("counts %+v, want %+v", counts, want)
	}
}

// count derives the counts from the events alone.
func count(events []stream.Event) (c stream.Counts) {
	live := map[int]int64{}
	sum := int64(0)
	for _, e := range events {
		switch e.Kind {
		case stream.Alloc, stream.Zeroed:
			c.Allocs++
		case stream.Realloc:
			c.Reallocs++
		case stream.Free:
			c.Frees++
		case stream.Reset:
			c.Resets++
			clear(live)
			sum = 0
			continue
		}
		sum += int64(e.N) - live[e.Slot]
		live[e.Slot] = int64(e.N)
		if e.Kind == stream.Free {
			delete(live, e.Slot)
		}
		c.Bytes += int64(e.N)
		c.Slots, c.Peak = max(c.Slots, int64(len(live))), max(c.Peak, sum)
	}
	return c
}

// TestSlotsAreReused holds the writer to the governing invariant.
func TestSlotsAreReused(t *testing.T) {
	write(t, "", func(w *stream.Writer) {
		for i := range 4 {
			if got := w.Alloc(1, 0); got != i {
				t.Errorf("new block in slot %d, want %d", got, i)
			}
		}
		w.Free(1)
		w.Free(2)
		for _, want := range []int{2, 1, 4} {
			if got := w.Zeroed(1); got != want {
				t.Errorf("block in slot %d, want %d", got, want)
			}
		}
		w.Reset()
		if got := w.Alloc(1, 0); got != 0 {
			t.Errorf("first block after Reset in slot %d", got)
		}
	})
}

func TestEmpty(t *testing.T) {
	_, events, counts, err := read(bytes.NewReader(write(t, "", func(*stream.Writer) {})))
	if err != nil || len(events) != 0 || counts != (stream.Counts{}) {
		t.Errorf("%v, %v, %v", events, counts, err)
	}
}

// TestDamage flips every bit of a file. Those of gzip's flags, date and system,
// and its padding, may mean nothing. All others must be noticed.
func TestDamage(t *testing.T) {
	s := &script{rand: rand.New(rand.NewPCG(1, 1))}
	file := write(t, "to be damaged", func(w *stream.Writer) { s.play(w, 300) })
	unnoticed := 0
	for i := range file {
		for bit := range 8 {
			bad := bytes.Clone(file)
			bad[i] ^= 1 << bit
			source, events, _, err := read(bytes.NewReader(bad))
			switch {
			case err == nil && (source != "to be damaged" || !slices.Equal(events, s.events)):
				t.Errorf("bit %d of byte %d flipped: another stream is read", bit, i)
			case err == nil:
				unnoticed++
			case !errors.Is(err, stream.ErrDamaged):
				t.Errorf("bit %d of byte %d flipped: error %v", bit, i, err)
			}
		}
	}
	if unnoticed > 8*7+7 {
		t.Errorf("%d bits mean nothing", unnoticed)
	}
}

func TestTruncated(t *testing.T) {
	s := &script{rand: rand.New(rand.NewPCG(1, 1))}
	file := write(t, "to be cut", func(w *stream.Writer) { s.play(w, 300) })
	for n := range file {
		_, _, _, err := read(bytes.NewReader(file[:n]))
		if !errors.Is(err, stream.ErrDamaged) || !strings.Contains(err.Error(), "ends too early") {
			t.Errorf("the first %d of %d bytes: error %v", n, len(file), err)
		}
	}
	_, _, _, err := read(bytes.NewReader(append(file, 0)))
	if !errors.Is(err, stream.ErrDamaged) || !strings.Contains(err.Error(), "more behind") {
		t.Errorf("a byte more: error %v", err)
	}
}

// zip compresses what no writer would write.
func zip(body string) []byte {
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	_, _ = z.Write([]byte(body))
	_ = z.Close()
	return file.Bytes()
}

// TestNonsense reads files that are whole and wrong.
func TestNonsense(t *testing.T) {
	const head = "CKMS\x01\x00"
	for body, want := range map[string]string{
		"CKMT\x01\x00":             "does not begin with CKMS",
		"CKMS\x02\x00":             "version 2",
		"CKMS\x01\xff\xff\xff\x7f": "a source of",
		head + "\x04":              "slot 0 holds no block",
		head + "\x08\x0c":          "slot -1 holds no block",
		head + "\x08\x04\x05":      "slot 0 holds no block",
		head + "\x0a\x04":          "alignment of 2 to the 4",
		head + "\x0a\x3f":          "alignment of 2 to the 63",
		head + "\x80" + strings.Repeat("\xff", 8) + "\x7f":     "",
		head + "\x80" + strings.Repeat("\xff", 9) + "\x01":     "more than 64 bits",
		head + "\x08\x03" + strings.Repeat("\xff", 9) + "\x01": "more than this system can address",
		head + "\x0e": "kind 6 with the operand 1",
		head + "\x07\x01\x00\x00\x00\x00\x00\x00":  "it counts 1 where its events give 0",
		head + "\x07\x00\x00\x00\x00\x00\x00\x00!": "more behind its end",
	} {
		_, _, _, err := read(bytes.NewReader(zip(body)))
		if !errors.Is(err, stream.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", body, err, want)
		}
	}
}

// TestErrorsOfTheInput wants them back as they are, not taken for damage.
func TestErrorsOfTheInput(t *testing.T) {
	s := &script{rand: rand.New(rand.NewPCG(1, 1))}
	file := write(t, "", func(w *stream.Writer) { s.play(w, 300) })
	failed := errors.New("the disk is gone")
	for _, n := range []int{0, 5, len(file) / 2} {
		_, _, _, err := read(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(failed)))
		if !errors.Is(err, failed) || errors.Is(err, stream.ErrDamaged) {
			t.Errorf("after %d bytes: error %v", n, err)
		}
	}
}

// fragile fails after so many bytes.
type fragile struct {
	left int
	err  error
}

func (f *fragile) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, f.err
	}
	return len(b), nil
}

func TestErrorsOfTheOutput(t *testing.T) {
	full := errors.New("the disk is full")
	for _, left := range []int{0, 1000} {
		w, err := stream.NewWriter(&fragile{left, full}, "")
		if err != nil {
			t.Fatal(err)
		}
		s := &script{rand: rand.New(rand.NewPCG(1, 1))}
		s.play(w, 50_000)
		if err := w.Close(); !errors.Is(err, full) {
			t.Errorf("error %v with room for %d bytes", err, left)
		}
	}
}

// TestMisuse wants the first mistake from Close, and nothing to happen after it.
func TestMisuse(t *testing.T) {
	for want, mistake := range map[string]func(*stream.Writer){
		"event 2: slot 5 holds no block":  func(w *stream.Writer) { w.Free(5) },
		"event 2: slot -1 holds no block": func(w *stream.Writer) { w.Realloc(-1, 1) },
		"event 2: -1 bytes are no size":   func(w *stream.Writer) { w.Alloc(-1, 0) },
		"event 2: -7 bytes are no size":   func(w *stream.Writer) { w.Realloc(0, -7) },
		"event 2: an alignment of 48":     func(w *stream.Writer) { w.Alloc(1, 48) },
		"event 3: slot 0 holds no block":  func(w *stream.Writer) { w.Free(0); w.Free(0) },
	} {
		w, err := stream.NewWriter(io.Discard, "")
		if err != nil {
			t.Fatal(err)
		}
		w.Alloc(1, 0)
		mistake(w)
		counts := w.Counts()
		w.Alloc(1, 0)
		w.Zeroed(1)
		w.Realloc(0, 2)
		w.Free(0)
		w.Reset()
		if w.Counts() != counts {
			t.Errorf("%s: events are counted after it", want)
		}
		if err := w.Close(); err == nil || err.Error() != "stream: "+want {
			t.Errorf("error %v, want %s", err, want)
		}
		if err := w.Close(); !errors.Is(err, stream.ErrClosed) {
			t.Errorf("second Close: error %v", err)
		}
	}
	if _, err := stream.NewWriter(io.Discard, strings.Repeat("x", stream.MaxSource+1)); err == nil {
		t.Error("a source of any length is taken")
	}
}

// TestBytesThatNoProgramReaches wants an error instead of a sum that wraps.
func TestBytesThatNoProgramReaches(t *testing.T) {
	if math.MaxInt < math.MaxInt64 {
		t.Skip("sizes of 32 bits do not get there")
	}
	w, err := stream.NewWriter(io.Discard, "")
	if err != nil {
		t.Fatal(err)
	}
	w.Alloc(math.MaxInt, 0)
	w.Alloc(1, 0)
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "are no size") {
		t.Errorf("error %v", err)
	}
}

// TestCompact holds the format to what doc.go promises of simple patterns: a
// word of a byte or two an event, of which gzip leaves little.
func TestCompact(t *testing.T) {
	const rounds = 100_000
	file := write(t, "a queue", func(w *stream.Writer) {
		var queue []int
		for i := range rounds {
			queue = append(queue, w.Alloc(16*(1+i%7), 0))
			if len(queue) == 1000 {
				w.Free(queue[0])
				queue = queue[1:]
			}
		}
	})
	if len(file) > rounds/8 {
		t.Errorf("%d bytes for %d events", len(file), 2*rounds-1000)
	}
}

func FuzzReader(f *testing.F) {
	s := &script{rand: rand.New(rand.NewPCG(1, 1))}
	var body bytes.Buffer
	z, err := gzip.NewReader(bytes.NewReader(write(f, "seed", func(w *stream.Writer) { s.play(w, 100) })))
	if err != nil {
		f.Fatal(err)
	}
	if _, err := io.Copy(&body, z); err != nil {
		f.Fatal(err)
	}
	f.Add(body.Bytes())
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _, _, err := read(bytes.NewReader(body)) // as a file, which it hardly ever is
		if err != nil && !errors.Is(err, stream.ErrDamaged) {
			t.Errorf("error %v", err)
		}
		// Behind a good checksum anything can get as far as the events.
		source, events, counts, err := read(bytes.NewReader(zip(string(body))))
		if err != nil {
			if !errors.Is(err, stream.ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		if want := count(events); counts != want {
			t.Errorf("counts %+v, want %+v", counts, want)
		}
		again := write(t, source, func(w *stream.Writer) { rewrite(w, events) })
		_, same, _, err := read(bytes.NewReader(again))
		if err != nil || !slices.Equal(same, events) {
			t.Errorf("written again the stream differs, error %v", err)
		}
	})
}

func rewrite(w *stream.Writer, events []stream.Event) {
	for _, e := range events {
		switch e.Kind {
		case stream.Alloc:
			w.Alloc(e.N, e.Align)
		case stream.Zeroed:
			w.Zeroed(e.N)
		case stream.Realloc:
			w.Realloc(e.Slot, e.N)
		case stream.Free:
			w.Free(e.Slot)
		case stream.Reset:
			w.Reset()
		}
	}
}

// TestManySlots reads a small file with many blocks: none of them costs more than a
// number.
func TestManySlots(t *testing.T) {
	const count = 1 << 20
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "many")
	if err != nil {
		t.Fatal(err)
	}
	for range count {
		w.Alloc(0, 0)
	}
	for slot := range count {
		w.Free(slot)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 16<<10 {
		t.Errorf("a file of %d bytes", file.Len())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := stream.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Next()
	}
	runtime.ReadMemStats(&after)
	if err != io.EOF || r.Counts().Slots != count {
		t.Errorf("%v, %d slots", err, r.Counts().Slots)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > count*strconv.IntSize/8*5/4 {
		t.Errorf("%d bytes for %d blocks", bytes, count)
	}
}
