package subject

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/stream"
)

// tapeOf makes a tape of what play writes.
func tapeOf(t *testing.T, play func(*stream.Writer)) *tape.Tape {
	t.Helper()
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "")
	must(t, err)
	play(w)
	must(t, w.Close())
	r, err := stream.NewReader(&file)
	must(t, err)
	path := filepath.Join(t.TempDir(), "tape")
	_, err = tape.Make(path, r, 1<<30)
	must(t, err)
	tp, err := tape.Load(path)
	must(t, err)
	t.Cleanup(func() { must(t, tp.Close()) })
	return tp
}

// playRandomly writes events of all kinds.
func playRandomly(w *stream.Writer, rng *rand.Rand, events int) {
	var live []int
	for range events {
		switch k := rng.IntN(1000); {
		case k == 0:
			w.Reset()
			live = nil
		case k < 400 || len(live) == 0:
			live = append(live, w.Alloc(randomSize(rng), 0))
		case k < 450:
			live = append(live, w.Alloc(randomSize(rng), 32<<rng.IntN(9)))
		case k < 520:
			live = append(live, w.Zeroed(randomSize(rng)))
		case k < 620:
			w.Realloc(live[rng.IntN(len(live))], randomSize(rng))
		default:
			i := rng.IntN(len(live))
			w.Free(live[i])
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
		}
	}
}

// randomSize returns small sizes as often as large ones, and 0.
func randomSize(rng *rand.Rand) int { return rng.IntN(1 << rng.IntN(16)) }

// TestPlayersAgree plays a stream of all kinds of events on every subject, twice
// and with a drop in between. All must be asked for the same and read back the
// same.
func TestPlayersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 1))
	tp := tapeOf(t, func(w *stream.Writer) { playRandomly(w, rng, 20_000) })
	var want work.Counts
	var wantSum uint64
	for i, s := range All() {
		r := s.Play(tp)
		r.Prepare(0)
		counts, sum := finishRun(t, r)
		if i == 0 {
			want, wantSum = counts, sum
		}
		must(t, r.Open())
		r.Body()
		r.Forget()
		must(t, r.Drop())
		again, sumAgain := finishRun(t, r)
		if counts != want || sum != wantSum || again != want || sumAgain != wantSum {
			t.Errorf("%s was asked for %+v, sum %#x, then %+v, sum %#x; %s for %+v, sum %#x", s.Name, counts, sum, again, sumAgain, All()[0].Name, want, wantSum)
		}
	}
	if want.Allocs == 0 || want.Allocs != want.Frees || want.Reallocs == 0 {
		t.Errorf("asked for %+v", want)
	}
}

// TestPlayerOfLittle plays what has no block.
func TestPlayerOfLittle(t *testing.T) {
	for _, play := range []func(*stream.Writer){
		func(*stream.Writer) {},
		func(w *stream.Writer) { w.Reset() },
		func(w *stream.Writer) { w.Free(w.Alloc(0, 0)) },
	} {
		tp := tapeOf(t, play)
		for _, s := range All() {
			r := s.Play(tp)
			r.Prepare(0)
			if counts, _ := finishRun(t, r); counts.Bytes != 0 {
				t.Errorf("%s was asked for %+v", s.Name, counts)
			}
		}
	}
}
