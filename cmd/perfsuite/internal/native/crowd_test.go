package native

import (
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// TestEqualCrowds holds crowds on our heap and on the twin, which must be asked
// for the same and read back the same.
func TestEqualCrowds(t *testing.T) {
	needCompiler(t)
	glibc := mustFind(t, nil, prefix+glibc)
	for _, c := range []work.Crowd{{Live: 1, Rounds: 1, Replace: 1}, {Live: 777, Rounds: 3, Replace: 2000}, {Live: 50_000, Rounds: 2, Replace: 60_000}} {
		o := turn.Order{Crowd: c, Subject: "rb"}
		ours, err := turn.Do(o)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := turn.Run(t.Context(), glibc.Program, o)
		if err != nil {
			t.Fatal(err)
		}
		if ours.Counts != theirs.Counts || ours.Checksum != theirs.Checksum {
			t.Errorf("%+v: Go is asked for %+v, sum %#x; the twin for %+v, sum %#x", c, ours.Counts, ours.Checksum, theirs.Counts, theirs.Checksum)
		}
		if want := int64(c.Rounds * (c.Live + c.Replace)); ours.Counts.Allocs != want || ours.Counts.Frees != want {
			t.Errorf("%+v: asked for %+v, want %d allocs and frees", c, ours.Counts, want)
		}
		wantPhases(t, theirs)
	}
}

// wantPhases wants the twin to tell of a crowd what a child of Go tells, but for
// what only a context can.
func wantPhases(t *testing.T, out *turn.Outcome) {
	t.Helper()
	p := out.Phases
	if p == nil || p.Fill <= 0 || p.Replace <= 0 || p.Free <= 0 || len(out.Seconds) != 1 || out.Drop != nil || out.Peak != nil {
		t.Errorf("%+v with %+v", out, p)
	}
	if *out.FirstRSS < 0 || *out.RSS < *out.FirstRSS {
		t.Errorf("grew by %d bytes, then %d", *out.FirstRSS, *out.RSS)
	}
}
