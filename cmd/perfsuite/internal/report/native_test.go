package report

import (
	"bytes"
	"strings"
	"testing"
)

// withNative has ours between two native subjects, one of which is the fastest at
// first and the other later, and a third that failed.
func withNative() *Report {
	r := sample()
	r.Results = inTurns([]Result{
		{Test: "perf_11", Subject: "avl", First: 9, Seconds: 9},
		{Test: "perf_11", Subject: "rb", First: 0.6, Seconds: 0.2, PeakFirstRSS: bytesOf(3 << 20), PeakRSS: bytesOf(6 << 20)},
		{Test: "perf_11", Subject: "native:glibc", First: 0.3, Seconds: 0.8, PeakFirstRSS: bytesOf(2 << 20), PeakRSS: bytesOf(2 << 20)},
		{Test: "perf_11", Subject: "native:jemalloc", First: 0.5, Seconds: 0.4, PeakFirstRSS: bytesOf(6 << 20), PeakRSS: bytesOf(4 << 20)},
		{Test: "perf_11", Subject: "native:broken", First: 0.1, Seconds: 0.1, Error: "child: killed"},
		{Test: "perf_12", Subject: "rb", First: 0.3, Seconds: 0.8, PeakRSS: bytesOf(0)},
		{Test: "perf_12", Subject: "native:jemalloc", First: 0.3, Seconds: 0.1, PeakRSS: bytesOf(1 << 20)},
	})
	return r
}

func TestBesideNative(t *testing.T) {
	block := withNative().besideNative()
	for _, want := range []string{
		"rb as a multiple",
		"perf_11 0.50 jemalloc 0.400 2.00 glibc 0.300 1.50 glibc 2.0 MiB 3.00 glibc 2.0 MiB",
		"perf_12 8.00 jemalloc 0.100 1.00 jemalloc 0.300 - - jemalloc 1.0 MiB",
		"geometric mean 2.00 tests 2 1.41 tests 2 1.50 tests 1 3.00 tests 1",
	} {
		if !strings.Contains(words(block), want) {
			t.Errorf("the block lacks %q:\n%s", want, block)
		}
	}
	checkWidth(t, block)
}

// words drops the frame of a table.
func words(table string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(table, "│", " ")), " ")
}

// TestBesideNativeNeedsBoth wants no block where one of the two is missing.
func TestBesideNativeNeedsBoth(t *testing.T) {
	if block := sample().besideNative(); block != "" {
		t.Errorf("a block without native subjects:\n%s", block)
	}
	r := withNative()
	for i := range r.Results {
		if !isNative(r.Results[i]) {
			r.Results[i].Error = "child: killed"
		}
	}
	if block := r.besideNative(); block != "" {
		t.Errorf("a block without ours:\n%s", block)
	}
}

func TestTableEndsWithNative(t *testing.T) {
	r := withNative()
	var b bytes.Buffer
	if err := writeTable(&b, r); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), r.besideNative()) {
		t.Errorf("the table ends otherwise:\n%s", b.String())
	}
	checkWidth(t, b.String())
}
