package main

import (
	"bytes"
	"compress/gzip"
	enc "encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/stream"
)

// words builds a stream by hand, past all checks of a stream.Writer. The layout is
// in package stream.
type words []byte

func newWords() words { return words("CKMS\x01\x00") }

// with appends a word.
func (w words) with(kind byte, operand uint64) words {
	first := kind | byte(operand&15)<<3
	if operand < 16 {
		return append(w, first)
	}
	return enc.AppendUvarint(append(w, first|0x80), operand>>4)
}

// and appends a number.
func (w words) and(n uint64) words { return enc.AppendUvarint(w, n) }

// times appends the words of another one so often.
func (w words) times(n int, other words) words { return append(w, bytes.Repeat(other, n)...) }

// end appends the end: allocs, reallocs, frees, resets, bytes, most blocks, most bytes.
func (w words) end(counts ...uint64) words {
	w = w.with(7, 0)
	for _, n := range counts {
		w = w.and(n)
	}
	return w
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileStreams plays what nobody recorded. Each must end in one line that names
// the file, before anything is measured, and leave nothing behind.
func TestHostileStreams(t *testing.T) {
	const maxInt64 = 1<<63 - 1
	block := words(nil).with(0, 1)
	pair := block.with(4, 0)
	huge := words(nil).with(0, 1<<30).with(4, 0)
	good := newWords().with(0, 10).end(1, 0, 0, 0, 10, 1, 10)
	file := zipped(t, good)
	damaged := bytes.Clone(file)
	damaged[len(file)-8] ^= 1 // its checksum
	texts := map[string]struct {
		file []byte
		say  string
	}{
		"trailing":  {append(bytes.Clone(file), 'x'), "more behind the file's end"},
		"twice":     {append(bytes.Clone(file), file...), "more behind the file's end"},
		"checksum":  {damaged, "checksum"},
		"longer":    {zipped(t, append(good, 0)), "more behind its end"},
		"no zip":    {good, "damaged stream"},
		"noise":     {bytes.Repeat([]byte{0x1f, 0x8b, 8, 0xff}, 1<<16), "damaged stream"},
		"magic":     {zipped(t, []byte("XXXX\x01\x00")), "does not begin"},
		"version":   {zipped(t, []byte("CKMS\x02\x00")), "version 2"},
		"source":    {zipped(t, words("CKMS\x01").and(maxInt64)), "a source of"},
		"source 64": {zipped(t, words("CKMS\x01").and(1<<64-1)), "a source of"},
		"overlong":  {zipped(t, append([]byte("CKMS\x01"), bytes.Repeat([]byte{0xff}, 20)...)), "damaged stream"},
	}
	for name, c := range map[string]struct {
		text words
		say  string
	}{
		"word":              {append(newWords().with(0, 1), bytes.Repeat([]byte{0xff}, 20)...), "damaged stream"},
		"size max":          {newWords().with(0, maxInt64).end(1, 0, 0, 0, maxInt64, 1, maxInt64), "size max: "},
		"size near max":     {newWords().with(0, maxInt64-4096).end(1, 0, 0, 0, maxInt64-4096, 1, maxInt64-4096), "size near max: "},
		"size beyond":       {newWords().with(0, maxInt64+1), "more than this system can address"},
		"size 64":           {newWords().with(0, 1<<64-1), "more than this system can address"},
		"zeroed max":        {newWords().with(1, maxInt64).end(1, 0, 0, 0, maxInt64, 1, maxInt64), "zeroed max: "},
		"sum beyond":        {newWords().with(0, 1).with(3, 0).and(maxInt64).end(1, 1, 0, 0, 0, 1, maxInt64), "sum beyond: "},
		"resized to max":    {newWords().with(0, 1).with(3, 0).and(maxInt64-1).end(1, 1, 0, 0, maxInt64, 1, maxInt64-1), "resized to max: "},
		"resized nothing":   {newWords().with(3, 0).and(5), "holds no block"},
		"freed nothing":     {newWords().with(4, 0).end(0, 0, 1, 0, 0, 0, 0), "holds no block"},
		"freed far":         {newWords().with(4, 1<<64-1), "holds no block"},
		"freed near min":    {newWords().with(0, 8).with(4, 1<<63), "holds no block"},
		"freed far before":  {newWords().with(5, 1<<64-2), "holds no block"},
		"freed next":        {newWords().with(0, 8).with(4, 2), "holds no block"},
		"freed twice":       {newWords().with(0, 8).with(4, 0).with(4, 0), "holds no block"},
		"freed after reset": {newWords().with(0, 8).with(6, 0).with(4, 0), "holds no block"},
		"aligned to 1":      {append(newWords().with(2, 8), 0), "an alignment of 2 to the 0"},
		"aligned to 2^62":   {append(newWords().with(2, 8), 62).end(1, 0, 0, 0, 8, 1, 8), "aligned to 2^62: "},
		"aligned to 2^63":   {append(newWords().with(2, 8), 63), "an alignment of 2 to the 63"},
		"aligned to 2^255":  {append(newWords().with(2, 8), 255), "an alignment of 2 to the 255"},
		"aligned, cut":      {newWords().with(2, 8), "ends too early"},
		"reset of 1":        {newWords().with(6, 1), "kind 6 with the operand 1"},
		"end of 3":          {newWords().with(7, 3), "kind 7 with the operand 3"},
		"no end":            {newWords().with(0, 8), "ends too early"},
		"cut counts":        {newWords().with(7, 0).and(0).and(0), "ends too early"},
		"wrong counts":      {newWords().with(0, 10).end(1, 0, 0, 0, 11, 1, 10), "it counts 11"},
		"huge counts":       {newWords().with(0, 10).end(maxInt64, maxInt64), "it counts"},
		"negative counts":   {newWords().with(0, 10).end(1<<64 - 1), "it counts"},
		"millions, no end":  {newWords().times(4_000_000, pair), "after 8000000 events"},
		"blocks, no end":    {newWords().times(2_000_000, block), "after 2000000 events"},
		"resets, no end":    {newWords().times(300_000, block).times(1_000_000, words(nil).with(6, 0)), "after 1300000 events"},
		"years":             {newWords().times(100_000, huge).end(100_000, 0, 100_000, 0, 100_000<<30, 1, 1<<30), "event 2049 goes beyond the 1024 GiB"},
		"years of copying":  {newWords().with(0, 1).times(100_000, words(nil).with(3, 0).and(1<<30)), "goes beyond the 1024 GiB"},
	} {
		texts[name] = struct {
			file []byte
			say  string
		}{zipped(t, c.text), c.say}
	}
	for i := range len(file) {
		texts["cut "+string(rune('A'+i))] = struct {
			file []byte
			say  string
		}{file[:i], "damaged stream"}
	}
	dir, temporary := t.TempDir(), newTemporary(t)
	for name, c := range texts {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, status := perfsuite(t, "replay", "-subjects", "rb,goheap,floor", path)
		if status != exitFailed || out != "" || strings.Count(errs, "\n") != 1 || len(errs) > 1000 || !strings.HasPrefix(errs, "perfsuite: "+path+": ") || !strings.Contains(errs, c.say) {
			t.Errorf("%s: status %d, %q, %q on stderr, want one line with %q", name, status, out, errs, c.say)
		}
	}
	wantEmpty(t, temporary)
}

// newTemporary makes a folder for the temporary files of perfsuite.
func newTemporary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestTapeRoom has no room for the second stream.
func TestTapeRoom(t *testing.T) {
	one := newStream(t, "one.ckms")
	for _, c := range []struct {
		room room
		tape int64 // left of what there is
		want string
	}{
		{room{}, 200_000, "have 4.0 GiB, the most that all streams of a replay may take"},
		{room{available: 400_000}, 200_000, "have 195.3 KiB, half of the memory that is available"},
	} {
		p := newReplayRoom(c.room, "no such folder")
		p.tapes, p.available = c.tape, 0
		cfg, err := parseConfig([]string{"-subjects", "rb"})
		if err != nil {
			t.Fatal(err)
		}
		err = cfg.addStreams(t.Context(), t.TempDir(), []string{one, one}, p)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "too long for a tape") {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if len(cfg.streams) != 1 {
			t.Errorf("%d streams fit", len(cfg.streams))
		}
	}
	if p := newReplayRoom(room{}, t.TempDir()); p.tapes <= 0 || p.tapes > tapesMost {
		t.Errorf("%d bytes for tapes", p.tapes)
	}
}

// TestMustPlay has streams that would push all others out of memory.
func TestMustPlay(t *testing.T) {
	p := &replayRoom{available: 1 << 30}
	for _, c := range []struct {
		args string
		made tape.Made
		want string
	}{
		{"-subjects rb", tape.Made{Counts: stream.Counts{Peak: 900 << 20, Slots: 1}, Asked: 900 << 20}, ""},
		{"-subjects rb", tape.Made{Counts: stream.Counts{Peak: 2 << 30, Slots: 1000}}, "up to 2.0 GiB in 1,000 blocks live take about 2.0 GiB on rb, and 1.0 GiB of memory is available"},
		{"-subjects rb", tape.Made{Counts: stream.Counts{Slots: 40_000_000}}, "on rb"},
		{"-subjects rb", tape.Made{Size: 2 << 30}, "on rb"},
		{"-subjects rb,goheap", tape.Made{Counts: stream.Counts{Peak: 600 << 20}, Padded: 600 << 20}, "1.2 GiB on goheap"},
		{"-subjects rb,goheap", tape.Made{Padded: 5 << 30}, "up to 0 B in 0 blocks (5.0 GiB with their alignments) live take about 10.0 GiB on goheap"},
		{"-subjects rb,floor -base floor", tape.Made{Asked: 600 << 20}, "base floor"},
		{"-subjects rb,floor", tape.Made{Asked: 600 << 20}, ""},
	} {
		cfg, err := parseConfig(strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		if err = cfg.mustPlay(&c.made, p); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %+v: error %v, want %q", c.args, c.made, err, c.want)
		}
		if err := cfg.mustPlay(&c.made, &replayRoom{}); err != nil {
			t.Errorf("refused where nothing is known of memory: %v", err)
		}
	}
}

// needSignals skips the test where none can be sent.
func needSignals(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no signal can be sent to a process here")
	}
}

// waitForAny waits until a folder of tapes is there.
func waitForAny(t *testing.T, pattern string) {
	t.Helper()
	for range 1000 {
		if found, _ := filepath.Glob(pattern); len(found) != 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program did not start")
}

// TestInterruptedTape stops a replay that still reads its stream, which would take it
// seconds.
func TestInterruptedTape(t *testing.T) {
	needSignals(t)
	temporary := newTemporary(t)
	file := filepath.Join(t.TempDir(), "long.ckms")
	if err := os.WriteFile(file, zipped(t, newWords().times(60_000_000, words(nil).with(0, 1).with(4, 0))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		var errs bytes.Buffer
		c := exec.Command(binary, "replay", "-subjects", "rb", file)
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitForAny(t, filepath.Join(temporary, "*", "0"))
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if status := c.ProcessState.ExitCode(); status != exitInterrupted || errs.String() != "perfsuite: interrupted\n" {
			t.Errorf("status %d, %q on stderr", status, errs.String())
		}
		wantEmpty(t, temporary)
	}
}

// TestNobodyReads closes the pipe that the report goes into, which ends the process.
func TestNobodyReads(t *testing.T) {
	needSignals(t)
	temporary := newTemporary(t)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	defer out.Close()
	c := exec.Command(binary, "replay", "-subjects", "rb", newStream(t, "one.ckms"))
	c.Stdout = out
	if err := c.Run(); err == nil {
		t.Error("it did not notice")
	}
	wantEmpty(t, temporary)
}
