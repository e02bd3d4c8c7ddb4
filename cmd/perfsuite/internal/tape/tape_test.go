package tape

import (
	"bytes"
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/stream"
)

// record returns a stream.
func record(t *testing.T, play func(*stream.Writer)) *stream.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "a test")
	if err != nil {
		t.Fatal(err)
	}
	play(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := stream.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// load makes a tape of a stream and reads it.
func load(t *testing.T, r *stream.Reader) *Tape {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tape")
	if _, err := Make(path, r, 1<<30); err != nil {
		t.Fatal(err)
	}
	tape, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tape.Close(); err != nil {
			t.Error(err)
		}
	})
	return tape
}

func TestSteps(t *testing.T) {
	tape := load(t, record(t, func(w *stream.Writer) {
		w.Alloc(10, 0)
		w.Alloc(20, 64)
		w.Zeroed(30)
		w.Realloc(0, 11)
		w.Realloc(1, 21)
		w.Free(0)
		w.Free(1)
		w.Alloc(40, 4096)
		w.Reset()
		w.Alloc(50, 0)
		w.Alloc(60, 32)
	}))
	body := []Step{
		{Kind: Alloc, Slot: 0, N: 10},
		{Kind: Aligned, Slot: 1, N: 20, Log: 6},
		{Kind: Zeroed, Slot: 2, N: 30},
		{Kind: Realloc, Slot: 0, N: 11, Old: 10},
		{Kind: ReallocAligned, Slot: 1, N: 21, Old: 20, Log: 6},
		{Kind: Free, Slot: 0, Old: 11},
		{Kind: FreeAligned, Slot: 1, Old: 21, Log: 6},
		{Kind: Aligned, Slot: 1, N: 40, Log: 12},
		{Kind: Reset, N: 2},
		{Kind: DropAligned, Slot: 1, Old: 40, Log: 12},
		{Kind: Drop, Slot: 2, Old: 30},
		{Kind: Alloc, Slot: 0, N: 50},
		{Kind: Aligned, Slot: 1, N: 60, Log: 5},
	}
	tail := []Step{
		{Kind: Drop, Slot: 0, Old: 50},
		{Kind: DropAligned, Slot: 1, Old: 60, Log: 5},
	}
	if got := tape.Body(); !slices.Equal(got, body) {
		t.Errorf("body\n%v, want\n%v", got, body)
	}
	if got := tape.Tail(); !slices.Equal(got, tail) {
		t.Errorf("tail\n%v, want\n%v", got, tail)
	}
	if tape.Slots() != 3 || tape.Body()[7].Align() != 4096 {
		t.Errorf("%d slots, aligned to %d", tape.Slots(), tape.Body()[7].Align())
	}
}

func TestEmpty(t *testing.T) {
	tape := load(t, record(t, func(*stream.Writer) {}))
	if len(tape.Body()) != 0 || len(tape.Tail()) != 0 || tape.Slots() != 0 {
		t.Errorf("%v, %v, %d slots", tape.Body(), tape.Tail(), tape.Slots())
	}
}

// TestStepSize holds the layout to what the twin in C++ reads.
func TestStepSize(t *testing.T) {
	var s Step
	if unsafe.Sizeof(s) != stepSize || unsafe.Offsetof(s.Slot) != 4 || unsafe.Offsetof(s.N) != 8 || unsafe.Offsetof(s.Old) != 16 {
		t.Errorf("%d bytes, slot at %d, n at %d, old at %d", unsafe.Sizeof(s), unsafe.Offsetof(s.Slot), unsafe.Offsetof(s.N), unsafe.Offsetof(s.Old))
	}
}

func TestMakeOfDamage(t *testing.T) {
	r, err := stream.NewReader(bytes.NewReader(truncated(t)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Make(filepath.Join(t.TempDir(), "tape"), r, 1<<30); !errors.Is(err, stream.ErrDamaged) {
		t.Errorf("error %v", err)
	}
}

// truncated returns a stream without its end.
func truncated(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "")
	if err != nil {
		t.Fatal(err)
	}
	w.Alloc(1, 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()[:file.Len()-4]
}

// TestLimit gives as many bytes as the tape needs, drops included, and one less.
func TestLimit(t *testing.T) {
	play := func(w *stream.Writer) {
		for range 100 {
			w.Alloc(1, 0)
			w.Alloc(1, 0)
			w.Reset()
		}
		w.Alloc(1, 0)
	}
	path := filepath.Join(t.TempDir(), "tape")
	need := int64(headerSize + stepSize*(100*5+2))
	if made, err := Make(path, record(t, play), need); err != nil || made.Size != need {
		t.Errorf("%d bytes, %v", made.Size, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != need {
		t.Errorf("%d bytes, want %d; %v", info.Size(), need, err)
	}
	for _, most := range []int64{need - 1, headerSize, 0, -1} {
		if _, err := Make(path, record(t, play), most); !errors.Is(err, ErrLong) {
			t.Errorf("error %v of at most %d bytes", err, most)
		}
		if info, err := os.Stat(path); err != nil || info.Size() > max(most, 0) {
			t.Errorf("%d bytes, want at most %d; %v", info.Size(), most, err)
		}
	}
}

// TestAsked brings a block to a size again and again.
func TestAsked(t *testing.T) {
	const size = 1 << 30
	asks := func(times int) *stream.Reader {
		return record(t, func(w *stream.Writer) {
			slot := w.Alloc(size, 0)
			for range times - 1 {
				w.Realloc(slot, size)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "tape")
	if _, err := Make(path, asks(MostAsked/size), 1<<30); err != nil {
		t.Error(err)
	}
	if _, err := Make(path, asks(MostAsked/size+1), 1<<30); err == nil || !strings.Contains(err.Error(), "event 1025 goes beyond the 1024 GiB") {
		t.Errorf("error %v", err)
	}
}

// TestPadding has blocks of large alignments, one of which is beyond all limits.
func TestPadding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape")
	made, err := Make(path, record(t, func(w *stream.Writer) {
		a, b := w.Alloc(1, 1<<20), w.Alloc(10, 0)
		w.Realloc(a, 100)
		w.Free(b)
		w.Alloc(7, 32)
		w.Reset()
		w.Alloc(50, 64)
	}), 1<<30)
	if want := int64(100 + 1<<20 + 7 + 32); err != nil || made.Padded != want {
		t.Errorf("%d bytes live, want %d; %v", made.Padded, want, err)
	}
	if want := int64(1+100+10+7+50+2<<20) + 32 + 64; made.Asked != want {
		t.Errorf("%d bytes asked for, want %d", made.Asked, want)
	}
	if bits.UintSize == 32 {
		return // where no alignment is that large
	}
	_, err = Make(path, record(t, func(w *stream.Writer) { w.Alloc(1, 1<<(bits.UintSize-2)) }), 1<<30)
	if err == nil || !strings.Contains(err.Error(), "event 1 goes beyond") {
		t.Errorf("error %v", err)
	}
}

// TestManyResets has more resets than could each look at all slots there ever were:
// that would take minutes.
func TestManyResets(t *testing.T) {
	const slots, resets = 100_000, 400_000
	tape := load(t, record(t, func(w *stream.Writer) {
		for range slots {
			w.Alloc(0, 0)
		}
		for range resets {
			w.Reset()
		}
	}))
	if got := len(tape.Body()); got != 2*slots+resets {
		t.Errorf("%d steps", got)
	}
}

// TestFullDisk wants the error of the file, and not only when the stream is at its
// end.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no device that is always full here")
	}
	r := record(t, func(w *stream.Writer) {
		for range 100_000 {
			w.Alloc(0, 0)
		}
	})
	if _, err := Make(full, r, 1<<30); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if got := r.Counts().Allocs; got == 0 || got == 100_000 {
		t.Errorf("%d events were read before it was noticed", got)
	}
}

func TestLoadOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	short := string(header(1, 1, 1)) + "too short"
	for text, want := range map[string]string{"": "is no tape", strings.Repeat("x", 99): "is no tape", short: "unexpected EOF"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v of %q", err, text)
		}
	}
	if _, err := Load(path + ".absent"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
