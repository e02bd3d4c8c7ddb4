package stream_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/stream"
)

// recorded returns the events of what use does with a context.
func recorded(t *testing.T, use func(*memctx.Context)) ([]stream.Event, stream.Counts) {
	t.Helper()
	var file bytes.Buffer
	r, err := stream.NewRecorder(&file, "a test")
	if err != nil {
		t.Fatal(err)
	}
	mc, err := memctx.New(&memctx.Options{Observer: r})
	if err != nil {
		t.Fatal(err)
	}
	use(mc)
	if err := errors.Join(mc.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	_, events, counts, err := read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return events, counts
}

// must returns the block of a call that must not fail.
func must[T any](p T, err error) T {
	if err != nil {
		panic(err)
	}
	return p
}

func TestRecorder(t *testing.T) {
	got, _ := recorded(t, func(mc *memctx.Context) {
		p := must(mc.Alloc(10))
		q := must(mc.AllocZeroed(3, 7))
		a := must(mc.AllocAligned(5, 256))
		p = must(mc.Realloc(p, 5000))
		mc.TryResize(p, 5001)
		mc.Free(q)
		b := must(mc.Bytes(30))
		c := must(mc.CloneBytes([]byte("four")))
		mc.FreeBytes(b)
		mc.FreeBytes(c)
		mc.Free(must(mc.Realloc(nil, 6)))
		mc.FreeSized(a, 5, 256)
		_ = mc.Reset()
		must(mc.Alloc(8))
	})
	want := []stream.Event{
		{Kind: stream.Alloc, Slot: 0, N: 10},
		{Kind: stream.Zeroed, Slot: 1, N: 21},
		{Kind: stream.Alloc, Slot: 2, N: 5, Align: 256},
		{Kind: stream.Realloc, Slot: 0, N: 5000, Old: 10},
		{Kind: stream.Realloc, Slot: 0, N: 5001, Old: 5000},
		{Kind: stream.Free, Slot: 1, Old: 21},
		{Kind: stream.Zeroed, Slot: 1, N: 30},
		{Kind: stream.Alloc, Slot: 3, N: 4},
		{Kind: stream.Free, Slot: 1, Old: 30},
		{Kind: stream.Free, Slot: 3, Old: 4},
		{Kind: stream.Alloc, Slot: 3, N: 6},
		{Kind: stream.Free, Slot: 3, Old: 6},
		{Kind: stream.Free, Slot: 2, Old: 5},
		{Kind: stream.Reset},
		{Kind: stream.Alloc, Slot: 0, N: 8},
		{Kind: stream.Reset},
	}
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d is %+v, want %+v", i+1, got[i], want[i])
		}
	}
}

// TestRecorderCounts compares a long random use with what the context counts.
func TestRecorderCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 2))
	var allocs, frees, reallocs int64
	_, counts := recorded(t, func(mc *memctx.Context) {
		var live []unsafe.Pointer
		for range 50_000 {
			switch k := rng.IntN(10); {
			case k < 5 || len(live) == 0:
				allocs++
				live = append(live, must(mc.Alloc(rng.IntN(1<<rng.IntN(16)))))
			case k == 5:
				reallocs++
				i := rng.IntN(len(live))
				live[i] = must(mc.Realloc(live[i], rng.IntN(10_000)))
			default:
				frees++
				i := rng.IntN(len(live))
				mc.Free(live[i])
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
			}
		}
		if got := mc.Stats().Blocks; got != uint(len(live)) {
			t.Fatalf("%d blocks, want %d", got, len(live))
		}
	})
	if counts.Allocs != allocs || counts.Frees != frees || counts.Reallocs != reallocs || counts.Resets != 1 {
		t.Errorf("%+v, want %d allocs, %d reallocs, %d frees, 1 reset", counts, allocs, reallocs, frees)
	}
}

// TestRecorderShared lets two contexts live together, which Close must report.
func TestRecorderShared(t *testing.T) {
	var file bytes.Buffer
	r, err := stream.NewRecorder(&file, "")
	if err != nil {
		t.Fatal(err)
	}
	options := &memctx.Options{Observer: r, Provider: segment.Heap()}
	one, two := must(memctx.New(options)), must(memctx.New(options))
	must(one.Alloc(1))
	p := must(two.Alloc(1))
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	two.Free(p)
	counts := r.Counts()
	if err := two.Close(); err != nil {
		t.Fatal(err)
	}
	if r.Counts() != counts {
		t.Error("events are recorded after an error")
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "shares the recorder") {
		t.Errorf("error %v", err)
	}
	if err := r.Close(); !errors.Is(err, stream.ErrClosed) {
		t.Errorf("second Close: error %v", err)
	}
}
