package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCopiesAreUpToDate fails when the text has changed without a run of go
// generate, or when a copy has no text anymore.
func TestCopiesAreUpToDate(t *testing.T) {
	const dir = ".."
	names, err := textFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("no text found")
	}
	for _, f := range families {
		known := map[string]bool{}
		for _, name := range names {
			known[name] = true
			want, err := copyFor(dir, name, f)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, f.name, name))
			if err != nil {
				t.Error(err)
				continue
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s/%s is out of date: run go generate in cmd/perfsuite/internal/work", f.name, name)
			}
		}
		checkStrays(t, filepath.Join(dir, f.name), known)
	}
}

func checkStrays(t *testing.T, folder string, known map[string]bool) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] && !own(e.Name()) {
			t.Errorf("%s/%s has no text in package %s", folder, e.Name(), source)
		}
	}
}
