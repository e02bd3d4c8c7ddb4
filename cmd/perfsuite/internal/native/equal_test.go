package native

import (
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// compareWork makes a run of a test on our heap and on the twin and wants the
// same requests and the same data.
func compareWork(t *testing.T, native subject.Subject, test work.Test, scale int) {
	t.Helper()
	o := turn.Order{Test: test, Subject: "rb", Runs: 1, Scale: scale}
	ours, err := turn.Do(o)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := turn.Run(t.Context(), native.Program, o)
	if err != nil {
		t.Fatal(err)
	}
	if ours.Counts != theirs.Counts || ours.Checksum != theirs.Checksum {
		t.Errorf("%v at 1/%d: Go asks for %+v, sum %#x; %s for %+v, sum %#x", test, scale, ours.Counts, ours.Checksum, native.Name, theirs.Counts, theirs.Checksum)
	}
}

// TestEqualWork is what makes the times of both comparable. The full length
// finds the constants that differ, odd fractions of it the rounding.
func TestEqualWork(t *testing.T) {
	needCompiler(t)
	glibc := mustFind(t, nil, prefix+glibc)
	for _, test := range work.Tests() {
		for _, scale := range scales {
			compareWork(t, glibc, test, scale)
		}
	}
}

// TestEqualOnPreload does the same on a malloc of the test's own, which never
// frees: what is counted must not depend on the malloc.
func TestEqualOnPreload(t *testing.T) {
	bump := library(t, `
#include <cstring>
static char room[1ul << 28];
static unsigned long used;
extern "C" {
void* malloc(unsigned long n) {
	n = (n + 31) & ~15ul;
	if (n > sizeof room - used) return nullptr;
	char* block = room + used + 16;
	std::memcpy(room + used, &n, sizeof n);
	used += n;
	return block;
}
void free(void*) {}
void* calloc(unsigned long count, unsigned long size) { return malloc(count * size); }
void* realloc(void* old, unsigned long n) {
	void* block = malloc(n);
	unsigned long size = 0;
	if (old) std::memcpy(&size, static_cast<char*>(old) - 16, sizeof size), size -= 16;
	if (block) std::memcpy(block, old, size < n ? size : n);
	return block;
}
}`)
	own := mustFind(t, []Preload{{"bump", bump}}, prefix+"bump")
	for _, test := range work.Tests() {
		compareWork(t, own, test, 500)
	}
}

// TestOutcome wants of the twin what a child of Go tells, but for what only a
// context can.
func TestOutcome(t *testing.T) {
	needCompiler(t)
	out, err := turn.Run(t.Context(), mustFind(t, nil, prefix+glibc).Program, turn.Order{Test: work.Coalesce, Runs: 5, Scale: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Seconds) != 5 || out.Drop != nil || out.Peak != nil {
		t.Errorf("%+v", out)
	}
	for _, s := range out.Seconds {
		if s <= 0 {
			t.Errorf("a run of %v s", s)
		}
	}
	if held := out.Counts.Bytes; *out.FirstRSS < held/2 || *out.RSS < *out.FirstRSS || *out.RSS > 2*held {
		t.Errorf("grew by %d bytes, then %d, for %d", *out.FirstRSS, *out.RSS, held)
	}
}

func TestBadOrders(t *testing.T) {
	needCompiler(t)
	program := mustFind(t, nil, prefix+glibc).Program
	for _, o := range []turn.Order{{Test: 0, Runs: 1, Scale: 1}, {Test: 13, Runs: 1, Scale: 1}, {Test: 1, Scale: 1}, {Test: 1, Runs: 1000, Scale: 1}} {
		if out, err := turn.Run(t.Context(), program, o); err == nil {
			t.Errorf("%+v gives %+v", o, out)
		}
	}
}
