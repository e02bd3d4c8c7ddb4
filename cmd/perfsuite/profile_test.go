package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
)

func TestProfileNames(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-run 6 -subjects rb", ""},
		{"-run 6 -subjects rb -cpuprofile cpu.pprof", "cpu.pprof"},
		{"-run 6 -subjects rb,floor -cpuprofile out/cpu.pprof", "out/cpu.perf_6.rb.pprof out/cpu.perf_6.floor.pprof"},
		{"-run 6 -subjects rb -count 2 -cpuprofile cpu", "cpu.perf_6.rb.1 cpu.perf_6.rb.2"},
	} {
		var names []string
		s := &script{answer: func(o turn.Order) (*turn.Outcome, error) {
			names = append(names, filepath.ToSlash(o.Profile))
			return outcome(1), nil
		}}
		runScript(t, t.Context(), s, strings.Fields(c.args)...)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}

// TestCPUProfile wants a profile that names functions of the heap. The format is
// a message with the names in plain text, compressed with gzip.
func TestCPUProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	out, errs, status := perfsuite(t, "-quick", "-run", "5", "-subjects", "rb", "-cpuprofile", file)
	if status != 0 || errs != "" || !strings.Contains(out, "perf_5") {
		t.Fatalf("status %d, %q, %q on stderr", status, out, errs)
	}
	wantHeapIn(t, file)
}

// wantHeapIn wants functions of the heap in a profile.
func wantHeapIn(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || !bytes.Contains(text, []byte("/memctx.(*Context).")) {
		t.Errorf("%v, %d bytes of a profile without the heap", err, len(text))
	}
}

// TestReplayProfileNames has two streams of one name, the second of which is called
// by its path then.
func TestReplayProfileNames(t *testing.T) {
	c, err := parseConfig([]string{"-subjects", "rb", "-cpuprofile", "out/cpu.pprof"})
	if err != nil {
		t.Fatal(err)
	}
	one, two := newStream(t, "same.ckms"), newStream(t, "same.ckms")
	if err := c.addStreams(t.Context(), t.TempDir(), []string{one, two}, newReplayRoom(room{}, "")); err != nil {
		t.Fatal(err)
	}
	var names []string
	s := &script{answer: func(o turn.Order) (*turn.Outcome, error) {
		names = append(names, filepath.ToSlash(o.Profile))
		return outcome(1), nil
	}}
	(&suite{config: c, turn: s.turn}).run(t.Context())
	want := "out/cpu.same.ckms.rb.pprof out/cpu." + strings.NewReplacer("/", "_", `\`, "_").Replace(two) + ".rb.pprof"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReplayCPUProfile wants what TestCPUProfile wants, of a stream.
func TestReplayCPUProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	out, errs, status := perfsuite(t, "replay", "-subjects", "rb", "-cpuprofile", file, newStream(t, "one.ckms"))
	if status != 0 || errs != "" || !strings.Contains(out, "one.ckms") {
		t.Fatalf("status %d, %q, %q on stderr", status, out, errs)
	}
	wantHeapIn(t, file)
}

func TestReplayCPUProfileThatCannotBe(t *testing.T) {
	out, errs, status := perfsuite(t, "replay", "-cpuprofile", filepath.Join(t.TempDir(), "no", "file"), newStream(t, "one.ckms"))
	if status != exitFailed || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q, %q on stderr", status, out, errs)
	}
}

func TestCPUProfileThatCannotBe(t *testing.T) {
	out, errs, status := perfsuite(t, "-cpuprofile", filepath.Join(t.TempDir(), "no", "file"))
	if status != exitFailed || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q, %q on stderr", status, out, errs)
	}
}
