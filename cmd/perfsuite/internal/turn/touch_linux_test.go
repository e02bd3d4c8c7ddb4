package turn

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestReadOnlyFile(t *testing.T) {
	for line, want := range map[string]bool{
		"00400000-006fd000 r-xp 00000000 fe:01 123  /usr/bin/x\n": true,
		"006fd000-00800000 r--p 002fd000 fe:01 123  /usr/bin/x\n": true,
		"00800000-00900000 rw-p 00400000 fe:01 123  /usr/bin/x\n": false,
		"00900000-00a00000 ---p 00400000 fe:01 123  /usr/bin/x\n": false,
		"c000000000-c000400000 rw-p 00000000 00:00 0 \n":          false,
		"7ffd0000-7ffd2000 r-xp 00000000 00:00 0    [vdso]\n":     false,
	} {
		start, end, ok := readOnlyFile(line)
		if ok != want || ok && (start == 0 || end <= start) {
			t.Errorf("%q: %x to %x, %v", line, start, end, ok)
		}
	}
}

// TestTouchFiles wants the whole program to be resident afterwards.
func TestTouchFiles(t *testing.T) {
	if err := touchFiles(); err != nil {
		t.Skipf("the system does not do it: %v", err)
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	var part string // of a file that cannot be written
	var parts, size int
	for line := range strings.Lines(string(maps)) {
		var rss int
		switch {
		case strings.Contains(strings.Fields(line)[0], "-"):
			part = line
			if _, _, ok := readOnlyFile(line); !ok {
				part = ""
			}
		case part == "":
		case strings.HasPrefix(line, "Size:"):
			_, _ = fmt.Sscanf(line, "Size: %d kB", &size)
		case strings.HasPrefix(line, "Rss:"):
			_, _ = fmt.Sscanf(line, "Rss: %d kB", &rss)
			if parts++; rss != size {
				t.Errorf("%d of %d KiB are resident: %s", rss, size, part)
			}
		}
	}
	if parts == 0 {
		t.Error("no part of a file found")
	}
}
