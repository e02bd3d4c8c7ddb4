package shim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/stream"
)

// native compiles the library and a program, or skips the test where that
// cannot be.
func native(t *testing.T, text string) (library, program string) {
	t.Helper()
	dir := t.TempDir()
	library, err := Build(dir)
	if errors.Is(err, ErrSystem) || errors.Is(err, ErrCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "program")
	if err := os.WriteFile(program+".c", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	compiler, err := findCompiler()
	if err != nil {
		t.Fatal(err)
	}
	args := append(compiler[1:len(compiler):len(compiler)], "-O0", "-o", program, program+".c", "-lpthread")
	if out, err := exec.Command(compiler[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library, program
}

// events converts a log.
func events(t *testing.T, l *Log) ([]stream.Event, stream.Counts) {
	t.Helper()
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "")
	if err == nil {
		err = errors.Join(l.Convert(w), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := stream.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	var all []stream.Event
	for {
		e, err := r.Next()
		if err == io.EOF {
			return all, r.Counts()
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

const calls = `
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void *volatile p, *volatile q;

int main(int argc, char **argv) {
	if (argc == 1) {
		p = malloc(1000);
		execl(argv[0], argv[0], "again", (char *)0);
	}
	p = malloc(1001);
	q = calloc(7, 143);
	p = realloc(p, 100003);
	q = realloc(q, 0);
	free(p);
	free(0);
	p = realloc(0, 1004);
	posix_memalign((void **)&q, 4096, 1005);
	free(q);
	q = aligned_alloc(64, 1024);
	p = reallocarray(p, 1009, 3);
	q = memalign(16, 1006);
	q = realloc(p, SIZE_MAX / 2);
	p = calloc(SIZE_MAX / 2, 3);
	p = reallocarray(p, SIZE_MAX / 2, 3);
	if (fork() == 0) {
		p = malloc(1007);
		_exit(0);
	}
	wait(0);
	p = malloc(1008);
	_exit(3);
}
`

// TestCalls wants each call of a program once, in order and as it was meant. The
// program runs itself anew first, ends without ceremony, and has a child.
func TestCalls(t *testing.T) {
	library, program := native(t, calls)
	logs, err := Run(library, t.TempDir(), program)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("error %v, want exit status 3", err)
	}
	if len(logs) != 2 {
		t.Fatalf("%d logs, want one before exec and one after: %v", len(logs), logs)
	}
	if filepath.Base(logs[0].Program) != "program" || logs[0].Process == 0 || logs[0].Process != logs[1].Process {
		t.Errorf("logs of %v and %v", logs[0], logs[1])
	}
	got, _ := events(t, logs[0])
	got = got[slices.IndexFunc(got, func(e stream.Event) bool { return e.N == 1001 }):]
	first, second := got[0].Slot, got[1].Slot
	want := []stream.Event{
		{Kind: stream.Alloc, Slot: first, N: 1001},
		{Kind: stream.Zeroed, Slot: second, N: 1001},
		{Kind: stream.Realloc, Slot: first, Old: 1001, N: 100003},
		{Kind: stream.Free, Slot: second, Old: 1001},
		{Kind: stream.Free, Slot: first, Old: 100003},
		{Kind: stream.Alloc, Slot: first, N: 1004},
		{Kind: stream.Alloc, Slot: second, N: 1005, Align: 4096},
		{Kind: stream.Free, Slot: second, Old: 1005},
		{Kind: stream.Alloc, Slot: second, N: 1024, Align: 64},
		{Kind: stream.Realloc, Slot: first, Old: 1004, N: 3027},
		{Kind: stream.Alloc, Slot: second + 1, N: 1006},
		{Kind: stream.Alloc, Slot: second + 2, N: 1008},
	}
	if !slices.Equal(got, want) {
		t.Errorf("events\n%v, want\n%v", got, want)
	}
}

const threads = `
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 50000, BLOCKS = 50 };

/* All threads pass blocks through one table, so that one frees what another
 * allocated, and addresses go round. */
static void *table[BLOCKS];

static void *work(void *seed) {
	unsigned long s = (unsigned long)seed;
	for (int i = 0; i < ROUNDS; i++) {
		s = s * 6364136223846793005ul + 1442695040888963407ul;
		size_t n = 1 + (s >> 40) % 300;
		void *p = malloc(n);
		memset(p, 1, n);
		if (s >> 63)
			p = realloc(p, 2 * n);
		free(__atomic_exchange_n(&table[(s >> 33) % BLOCKS], p, __ATOMIC_ACQ_REL));
	}
	return 0;
}

int main(void) {
	pthread_t all[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&all[i], 0, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], 0);
	for (int i = 0; i < BLOCKS; i++)
		free(table[i]);
	return 0;
}
`

// TestThreads wants the log of threads that share blocks to be a stream in which
// no block is missing: as many are freed as were allocated, and never more live
// than the program had.
func TestThreads(t *testing.T) {
	library, program := native(t, threads)
	logs, err := Run(library, t.TempDir(), program)
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, error %v", logs, err)
	}
	_, counts := events(t, logs[0])
	const made, most = 4 * 50_000, 50 + 4
	if counts.Allocs < made || counts.Reallocs < made/3 || counts.Allocs-counts.Frees > 20 || counts.Slots > most+20 {
		t.Errorf("%+v, want %d allocs and as many frees, at most %d live, and few of the C library's", counts, made, most)
	}
	if counts.Allocs+counts.Reallocs+counts.Frees != logs[0].Records {
		t.Errorf("%+v of %d records", counts, logs[0].Records)
	}
}

func TestRunNothing(t *testing.T) {
	library, _ := native(t, "int main(void) { return 0; }")
	if _, err := Run(library, t.TempDir(), filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no error of a command that is absent")
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("CC", "")
	t.Setenv("PATH", "")
	if _, err := Build(t.TempDir()); !errors.Is(err, ErrCompiler) && !errors.Is(err, ErrSystem) {
		t.Errorf("error %v", err)
	}
}

// logFile writes a log of records as the library would, with a part of its
// window unused.
func logFile(t *testing.T, records ...record) *Log {
	t.Helper()
	b := make([]byte, windowSize)
	copy(b, logMagic)
	binary.NativeEndian.PutUint64(b[len(logMagic):], 42)
	copy(b[programAt:], "/bin/program")
	for _, r := range records {
		b = binary.NativeEndian.AppendUint32(b, r.kind)
		b = binary.NativeEndian.AppendUint32(b, r.align)
		b = binary.NativeEndian.AppendUint64(b, r.address)
		b = binary.NativeEndian.AppendUint64(b, r.size)
		b = binary.NativeEndian.AppendUint64(b, r.old)
	}
	b = append(b, make([]byte, 100*recordSize)...)
	path := filepath.Join(t.TempDir(), "42.0")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestConvert has blocks from before the log and frees that were not seen.
func TestConvert(t *testing.T) {
	l := logFile(t,
		record{kind: kindFree, address: 0x999},                          // unknown
		record{kind: kindAlloc, address: 0x100, size: 10, align: 6},     //
		record{kind: kindRealloc, address: 0x200, size: 20, old: 0x888}, // unknown: new
		record{kind: kindZeroed, address: 0x100, size: 30},              // the first one was freed
		record{kind: kindRealloc, address: 0x200, size: 40, old: 0x200}, // in place
		record{kind: kindRealloc, address: 0x100, size: 50, old: 0x200}, // onto one that was freed
		record{kind: kindFree, address: 0x200},                          // moved away
		record{kind: kindFree, address: 0x100},
	)
	if l.Program != "/bin/program" || l.Process != 42 || l.Records != 8 {
		t.Errorf("%+v", l)
	}
	got, _ := events(t, l)
	want := []stream.Event{
		{Kind: stream.Alloc, Slot: 0, N: 10, Align: 64},
		{Kind: stream.Alloc, Slot: 1, N: 20},
		{Kind: stream.Free, Slot: 0, Old: 10},
		{Kind: stream.Zeroed, Slot: 0, N: 30},
		{Kind: stream.Realloc, Slot: 1, Old: 20, N: 40},
		{Kind: stream.Free, Slot: 0, Old: 30},
		{Kind: stream.Realloc, Slot: 1, Old: 40, N: 50},
		{Kind: stream.Free, Slot: 1, Old: 50},
	}
	if !slices.Equal(got, want) {
		t.Errorf("events\n%v, want\n%v", got, want)
	}
}

func TestConvertNonsense(t *testing.T) {
	for want, r := range map[string]record{
		"kind 77":    {kind: 77},
		"a block of": {kind: kindAlloc, size: 1 << 63},
	} {
		w, err := stream.NewWriter(io.Discard, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := logFile(t, r).Convert(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestOtherFiles wants what is no log to be left alone.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"shim.c": "int main;", "1.0": "", "2.0": strings.Repeat("x", 5000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if logs, err := openAll(dir); err != nil || len(logs) != 0 {
		t.Errorf("%v, error %v", logs, err)
	}
}
