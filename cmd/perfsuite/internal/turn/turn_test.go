package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// behaviour is the environment variable that makes this test binary, started as
// a child, do something else than its order.
const behaviour = "COOKMEM_PERFSUITE_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "serve":
		if _, err := Serve(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "panic":
		fmt.Fprintln(os.Stderr, "something before")
		panic("the heap is broken")
	case "kill":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	case "babble":
		fmt.Println("not JSON")
		os.Exit(0)
	case "hang":
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

var order = Order{Test: work.Vectors, Subject: "modernc", Runs: 3, Scale: 100}

// start makes a turn with this test binary as the program.
func start(t *testing.T, ctx context.Context, what string) (*Outcome, error) {
	t.Helper()
	t.Setenv(behaviour, what)
	return Run(ctx, subject.Program{}, order)
}

func TestRun(t *testing.T) {
	out, err := start(t, t.Context(), "serve")
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Seconds) != 3 || out.Counts.Allocs != 900 || out.Checksum == 0 {
		t.Errorf("%+v", out)
	}
	linux := runtime.GOOS == "linux"
	if (out.RSS != nil) != linux || (out.FirstRSS != nil) != linux || linux && *out.FirstRSS > *out.RSS {
		t.Errorf("growth of the resident set %v, %v on %s", out.FirstRSS, out.RSS, runtime.GOOS)
	}
	if out.Drop == nil {
		t.Error("no time for the drop")
	}
}

func TestRunUnknownSubject(t *testing.T) {
	defer func(o Order) { order = o }(order)
	order.Subject = "glibc"
	_, err := start(t, t.Context(), "serve")
	if err == nil || !strings.Contains(err.Error(), `no subject "glibc"`) {
		t.Errorf("error %v", err)
	}
}

// TestRunBadChildren wants one line that says how the child ended.
func TestRunBadChildren(t *testing.T) {
	for what, want := range map[string]string{
		"panic":  "panic: the heap is broken",
		"kill":   "child: ",
		"babble": "child's outcome",
	} {
		t.Run(what, func(t *testing.T) {
			out, err := start(t, t.Context(), what)
			if err == nil {
				t.Fatalf("outcome %+v", out)
			}
			if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
				t.Errorf("error %q, want one line with %q", text, want)
			}
		})
	}
}

// TestRunCancelled wants a child that would hang to end with its context.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := start(t, ctx, "hang"); err == nil {
		t.Error("no error")
	}
}

func TestServeWithoutOrder(t *testing.T) {
	var b bytes.Buffer
	if ordered, err := Serve(&b); ordered || err != nil || b.Len() != 0 {
		t.Errorf("%v, %v, %q", ordered, err, b.String())
	}
}

func TestServeBadOrder(t *testing.T) {
	t.Setenv(variable, "{")
	if ordered, err := Serve(new(bytes.Buffer)); !ordered || err == nil {
		t.Errorf("%v, %v", ordered, err)
	}
}

func TestServe(t *testing.T) {
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, string(text))
	var b bytes.Buffer
	if ordered, err := Serve(&b); !ordered || err != nil {
		t.Fatalf("%v, %v", ordered, err)
	}
	var out Outcome
	if err := json.Unmarshal(b.Bytes(), &out); err != nil || len(out.Seconds) != order.Runs {
		t.Errorf("%+v, %v", out, err)
	}
}

// scripted is a subject whose runs ask for what the test says.
type scripted struct {
	allocs []int64
	slow   time.Duration
	run    int
	closed error
}

func (s *scripted) Prepare(work.Test) {}
func (s *scripted) Open() error       { s.run++; return nil }
func (s *scripted) Body() uint64      { time.Sleep(s.slow); return 1 }
func (s *scripted) Finish()           {}
func (s *scripted) Close() error      { return s.closed }
func (s *scripted) Forget()           {}
func (s *scripted) Drop() error       { return s.closed }
func (s *scripted) Counts() work.Counts {
	return work.Counts{Allocs: s.allocs[min(s.run, len(s.allocs))-1]}
}
func (s *scripted) Peak() (int64, bool) { return 0, false }

func TestRunsThatDiffer(t *testing.T) {
	err := new(Outcome).timeRuns(&scripted{allocs: []int64{5, 5, 6}}, Runs, memory{})
	if err == nil || !strings.Contains(err.Error(), "run 3") {
		t.Errorf("error %v", err)
	}
}

func TestSlowRunsAreFewer(t *testing.T) {
	var out Outcome
	if err := out.timeRuns(&scripted{allocs: []int64{5}, slow: time.Second + time.Millisecond}, Runs, memory{}); err != nil {
		t.Fatal(err)
	}
	if len(out.Seconds) != slowRuns {
		t.Errorf("%d runs, want %d", len(out.Seconds), slowRuns)
	}
}

func TestCloseFails(t *testing.T) {
	failed := errors.New("pages stay")
	s := &scripted{allocs: []int64{5}, closed: failed}
	if err := new(Outcome).timeRuns(s, Runs, memory{}); !errors.Is(err, failed) {
		t.Errorf("error %v of a run", err)
	}
	if err := new(Outcome).timeDrop(s); !errors.Is(err, failed) {
		t.Errorf("error %v of a drop", err)
	}
}

func TestParseStatus(t *testing.T) {
	m, known := parseStatus([]byte("Name:\tx\nVmPeak:\t 99 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"))
	if !known || m.peak != 2<<20 || m.current != 1<<20 {
		t.Errorf("%+v, %v", m, known)
	}
	if _, known := parseStatus([]byte("Name:\tx\n")); known {
		t.Error("sizes out of nothing")
	}
}

// TestProfile wants a file that begins like any profile: it is compressed with
// gzip.
func TestProfile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cpu.pprof")
	s := &scripted{allocs: []int64{5}}
	if err := profile(name, s, 0); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) || s.run != 1 {
		t.Errorf("%d bytes after %d runs, %v", len(text), s.run, err)
	}
	if err := profile(filepath.Join(t.TempDir(), "no", "file"), s, 0); err == nil {
		t.Error("a file in a folder that is not there")
	}
}

// failsLate is a subject whose third run fails.
type failsLate struct{ scripted }

func (f *failsLate) Close() error {
	if f.run == 3 {
		return errors.New("pages stay")
	}
	return nil
}

func TestProfileRepeats(t *testing.T) {
	f := &failsLate{scripted{allocs: []int64{5}}}
	if err := profile(filepath.Join(t.TempDir(), "cpu.pprof"), f, time.Hour); err == nil || f.run != 3 {
		t.Errorf("%d runs, %v", f.run, err)
	}
}
