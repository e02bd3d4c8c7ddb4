package native

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/stream"
)

// newTape makes a tape with all kinds of steps.
func newTape(t *testing.T) string {
	t.Helper()
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	size := func() int { return rng.IntN(1 << rng.IntN(17)) }
	for range 20 {
		var live []int
		for range 1000 {
			live = append(live, w.Alloc(size(), 0), w.Alloc(size(), 32<<rng.IntN(8)), w.Zeroed(size()))
			w.Realloc(live[rng.IntN(len(live))], size())
			w.Realloc(live[rng.IntN(len(live))], 0)
			i := rng.IntN(len(live))
			w.Free(live[i])
			live = append(live[:i], live[i+1:]...)
		}
		w.Reset()
		w.Alloc(100, 0) // the last of them is live at the end
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := stream.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tape")
	if _, err := tape.Make(path, r, 1<<30); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEqualTapes plays one tape on our heap and on the twin, which must be asked
// for the same and read back the same.
func TestEqualTapes(t *testing.T) {
	needCompiler(t)
	glibc := mustFind(t, nil, prefix+glibc)
	o := turn.Order{Tape: newTape(t), Subject: "rb", Runs: 2, Scale: 1}
	ours, err := turn.Do(o)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := turn.Run(t.Context(), glibc.Program, o)
	if err != nil {
		t.Fatal(err)
	}
	if ours.Counts != theirs.Counts || ours.Checksum != theirs.Checksum {
		t.Errorf("Go is asked for %+v, sum %#x; the twin for %+v, sum %#x", ours.Counts, ours.Checksum, theirs.Counts, theirs.Checksum)
	}
	if ours.Counts.Allocs == 0 || ours.Counts.Allocs != ours.Counts.Frees {
		t.Errorf("asked for %+v", ours.Counts)
	}
}

// TestBadTapes wants a line that says what is wrong.
func TestBadTapes(t *testing.T) {
	needCompiler(t)
	glibc := mustFind(t, nil, prefix+glibc)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no tape ", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, path := range map[string]string{
		"is no tape":       text,
		"cannot be opened": text + ".absent",
		"JSON escapes":     text + `"`,
	} {
		_, err := turn.Run(t.Context(), glibc.Program, turn.Order{Tape: path, Runs: 1, Scale: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
