package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/stream"
)

// TestWindow reads back what was written.
func TestWindow(t *testing.T) {
	for _, order := range []string{"-random=false", "-random"} {
		file := filepath.Join(t.TempDir(), "w.ckms")
		if _, errs, status := perfsuite(t, "window", "-o", file, "-blocks", "10", "-turns", "500", "-least", "100", "-most", "199", order); status != 0 || errs != "" {
			t.Fatalf("status %d, %q on stderr", status, errs)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := stream.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		oldest, allocs := 0, 0
		for {
			e, err := r.Next()
			if err != nil {
				break
			}
			switch {
			case e.Kind == stream.Free && allocs < 500 && order == "-random=false" && e.Slot != oldest:
				t.Fatalf("slot %d freed, the oldest is %d", e.Slot, oldest)
			case e.Kind == stream.Free:
				oldest = (oldest + 1) % 10
			case e.N < 100 || e.N > 199:
				t.Fatalf("%d bytes", e.N)
			default:
				allocs++
			}
		}
		if c := r.Counts(); c.Allocs != 500 || c.Frees != 500 || c.Slots != 10 {
			t.Errorf("%+v", c)
		}
	}
}

func TestWindowUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.ckms")
	for want, args := range map[string][]string{
		"needs -o":          {"window"},
		"at least 1":        {"window", "-o", file, "-blocks", "0"},
		"the smaller":       {"window", "-o", file, "-least", "9", "-most", "8"},
		"not \"extra\"":     {"window", "-o", file, "extra"},
		"sizes from 0 to 1": {"window", "-o", file, "-most", "2000000000"},
	} {
		_, errs, status := perfsuite(t, args...)
		if status != exitUsage || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q on stderr, want %q", args, status, errs, want)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

// TestRemoveFile leaves what is more than a file of one's own.
func TestRemoveFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	removeFile(link)
	if _, err := os.Stat(link); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
	removeFile(file)
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is still there")
	}
}

func TestInterruptedWindow(t *testing.T) {
	needSignals(t)
	file := filepath.Join(t.TempDir(), "long.ckms")
	var errs strings.Builder
	c := exec.Command(binary, "window", "-o", file, "-turns", "2000000000")
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(t, file)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if status := c.ProcessState.ExitCode(); status != exitInterrupted || errs.String() != "perfsuite: interrupted\n" {
		t.Errorf("status %d, %q on stderr", status, errs.String())
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("half of a stream was left")
	}
}

// waitForSize waits until there is something in a file.
func waitForSize(t *testing.T, file string) {
	t.Helper()
	for range 1000 {
		if info, err := os.Stat(file); err == nil && info.Size() != 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing was written")
}
