package turn

import "testing"

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

// TestTouchedFilesStay wants pages of code that are reached later to add nothing.
func TestTouchedFilesStay(t *testing.T) {
	touchFiles()
	before, known := resident()
	touchFiles()
	if after, _ := resident(); known && after.current > before.current+1<<20 {
		t.Errorf("%d bytes resident, then %d", before.current, after.current)
	}
}
