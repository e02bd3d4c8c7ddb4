package subject

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/stream"
)

// recorded is the folder of recorded streams.
const recorded = "../../../../testdata/streams"

// mostFootprint is how much of the system's memory our heap may take for each
// recorded stream, as a multiple of the most bytes that the program had live:
// what was measured and 3 % for what the segments of the cache happen to be.
var mostFootprint = map[string]float64{
	"cc1plus.ckms": 1.42,
	"python.ckms":  1.31,
	"sqlite.ckms":  1.16,
}

// openTape makes a tape of a recorded stream.
func openTape(t *testing.T, file string) (*tape.Tape, stream.Counts) {
	t.Helper()
	f, err := os.Open(filepath.Join(recorded, file))
	must(t, err)
	defer f.Close()
	r, err := stream.NewReader(f)
	must(t, err)
	path := filepath.Join(t.TempDir(), "tape")
	counts, err := tape.Make(path, r, 1<<30)
	must(t, err)
	tp, err := tape.Load(path)
	must(t, err)
	t.Cleanup(func() { must(t, tp.Close()) })
	return tp, counts.Counts
}

// TestFootprintOfPrograms is about fragmentation: what a program's stream takes
// of the system beyond what the program itself has live. It does not depend on
// the machine.
func TestFootprintOfPrograms(t *testing.T) {
	for file, most := range mostFootprint {
		tp, counts := openTape(t, file)
		for _, name := range []string{"rb", "avl", "trie"} {
			s, _ := Find(name)
			r := s.Play(tp)
			r.Prepare(0)
			for range 2 {
				if got, _ := finishRun(t, r); got.Allocs != counts.Allocs || got.Frees != counts.Allocs || got.Bytes != counts.Bytes {
					t.Errorf("%s on %s: asked for %+v of %+v", file, name, got, counts)
				}
			}
			peak, _ := r.Peak()
			ratio := float64(peak) / float64(counts.Peak)
			t.Logf("%s on %s: footprint %d, %.3f times what was live", file, name, peak, ratio)
			if ratio < 1 || ratio > most {
				t.Errorf("%s on %s: footprint %d for %d bytes live, %.3f times; at most %.2f", file, name, peak, counts.Peak, ratio, most)
			}
		}
	}
}

// TestAllRecordedStreamsAreTold wants every recorded stream to be bounded above
// and to be told in the folder's README with its counts.
func TestAllRecordedStreamsAreTold(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(recorded, "..", "README.md"))
	must(t, err)
	files, err := filepath.Glob(filepath.Join(recorded, "*.ckms"))
	must(t, err)
	if len(files) != len(mostFootprint) {
		t.Errorf("%d recorded streams, of which %d are bounded", len(files), len(mostFootprint))
	}
	for _, file := range files {
		_, counts := openTape(t, filepath.Base(file))
		row := "| `" + filepath.Base(file) + "` |"
		i := strings.Index(string(readme), row)
		if i < 0 {
			t.Errorf("README.md has no row for %s", file)
			continue
		}
		line, _, _ := strings.Cut(string(readme[i:]), "\n")
		want := fmt.Sprintf("| %d | %d | %d | %d | %d |", counts.Allocs, counts.Reallocs, counts.Frees, counts.Slots, counts.Peak)
		if !strings.HasSuffix(strings.ReplaceAll(line, ",", ""), want) {
			t.Errorf("README.md: the row of %s does not end in %s", file, want)
		}
	}
}
