package turn

import (
	"errors"
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// TestRunCrowd holds a crowd in a child process.
func TestRunCrowd(t *testing.T) {
	defer func(o Order) { order = o }(order)
	order = Order{Subject: "rb", Crowd: work.Crowd{Live: 20_000, Rounds: 3, Replace: 50_000}}
	out, err := start(t, t.Context(), "serve")
	if err != nil {
		t.Fatal(err)
	}
	p := out.Phases
	if p == nil || p.Fill <= 0 || p.Replace <= 0 || p.Free <= 0 || len(out.Seconds) != 1 || out.Seconds[0] != p.Fill+p.Replace+p.Free {
		t.Errorf("%+v with %+v", out, p)
	}
	if out.Counts.Allocs != 210_000 || out.Counts.Frees != 210_000 || out.Checksum == 0 || out.Drop == nil || out.Peak == nil || *out.Peak < 20_000*work.CrowdLeast {
		t.Errorf("%+v", out)
	}
	if runtime.GOOS == "linux" && (out.FirstRSS == nil || *out.FirstRSS < 20_000*work.CrowdLeast || *out.RSS < *out.FirstRSS) {
		t.Errorf("growth of the resident set %v, %v", out.FirstRSS, out.RSS)
	}
}

// brokenHolder fails at one of its calls.
type brokenHolder struct {
	opens       int
	failingOpen int // which one fails
	close, drop error
}

var errPages = errors.New("pages stay")

func (b *brokenHolder) Prepare() {}
func (b *brokenHolder) Open() error {
	if b.opens++; b.opens == b.failingOpen {
		return errPages
	}
	return nil
}
func (b *brokenHolder) Close() error        { return b.close }
func (b *brokenHolder) Drop() error         { return b.drop }
func (b *brokenHolder) Fill()               {}
func (b *brokenHolder) Replace()            {}
func (b *brokenHolder) Free()               {}
func (b *brokenHolder) Sum() uint64         { return 1 }
func (b *brokenHolder) Forget()             {}
func (b *brokenHolder) Counts() work.Counts { return work.Counts{} }
func (b *brokenHolder) Peak() (int64, bool) { return 0, false }

func TestCrowdFails(t *testing.T) {
	for name, h := range map[string]*brokenHolder{
		"open":        {failingOpen: 1},
		"close":       {close: errPages},
		"second open": {failingOpen: 2},
		"drop":        {drop: errPages},
	} {
		if _, err := hold(h, 1); !errors.Is(err, errPages) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if out, err := hold(new(brokenHolder), 1); err != nil || out.Peak != nil {
		t.Errorf("%+v, %v", out, err)
	}
}
