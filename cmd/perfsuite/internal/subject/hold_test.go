package subject

import (
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// holdOnce makes the rounds of a crowd.
func holdOnce(t *testing.T, h work.Holder, c work.Crowd) (work.Counts, uint64) {
	t.Helper()
	must(t, h.Open())
	sum := uint64(0)
	for range c.Rounds {
		h.Fill()
		h.Replace()
		sum = work.Mix(sum, h.Sum())
		h.Free()
	}
	must(t, h.Close())
	return h.Counts(), sum
}

// TestHoldersAgree holds crowds on every subject, twice and with a drop in
// between. All must be asked for the same and read back the same.
func TestHoldersAgree(t *testing.T) {
	for _, c := range []work.Crowd{{Live: 1, Rounds: 3, Replace: 5}, {Live: 2500, Rounds: 2, Replace: 9000}} {
		var want work.Counts
		var wantSum uint64
		for i, s := range All() {
			h := s.Hold(c)
			h.Prepare()
			counts, sum := holdOnce(t, h, c)
			if i == 0 {
				want, wantSum = counts, sum
			}
			must(t, h.Open())
			h.Fill()
			h.Forget()
			must(t, h.Drop())
			again, sumAgain := holdOnce(t, h, c)
			if counts != want || sum != wantSum || again != want || sumAgain != wantSum {
				t.Errorf("%+v on %s: %+v, sum %#x, then %+v, sum %#x; on %s %+v, sum %#x", c, s.Name, counts, sum, again, sumAgain, All()[0].Name, want, wantSum)
			}
			if peak, known := h.Peak(); known && peak < int64(c.Live*work.CrowdLeast) {
				t.Errorf("%s says it obtained %d bytes", s.Name, peak)
			}
		}
		blocks := int64(c.Rounds * (c.Live + c.Replace))
		if want.Allocs != blocks || want.Frees != blocks || want.Reallocs != 0 || want.Bytes < blocks*work.CrowdLeast || want.Bytes > blocks*work.CrowdMost {
			t.Errorf("%+v: asked for %+v", c, want)
		}
	}
}
