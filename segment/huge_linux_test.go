package segment_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// isAdvised reports whether the system was advised to back the address with huge
// pages.
func isAdvised(t *testing.T, a raw.Addr) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= uint64(a) && uint64(a) < to
		} else if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return slices.Contains(strings.Fields(flags), "hg")
		}
	}
	t.Skip("the system does not tell the flags of mappings")
	return false
}

func TestHugeAdvises(t *testing.T) {
	probe := mustAcquire(t, segment.OS(), 4*mib)
	defer mustRelease(t, segment.OS(), probe)
	err := unix.Madvise(raw.Bytes(raw.AddrOf(probe.Base), uintptr(probe.Size)), unix.MADV_HUGEPAGE)
	if err != nil || !isAdvised(t, raw.AddrOf(probe.Base)) {
		t.Skip("this kernel, or who plays it, has no huge pages:", err)
	}
	up := segment.Counting(segment.OS())
	p := segment.Huge(up)
	for _, n := range []int{4 * kib, mib, 2*mib - 4*kib, 2 * mib, 9 * mib} {
		s := mustAcquire(t, p, n)
		for _, at := range []int{0, n / 2, n - 1} {
			if got := isAdvised(t, raw.AddrOf(s.Base)+raw.Addr(at)); got != (n >= 2*mib) {
				t.Errorf("byte %d of %d advised: %t", at, n, got)
			}
		}
		mustRelease(t, p, s)
	}

	s := mustAcquire(t, p, mib)
	s, err = segment.Resize(p, s, 6*mib, 6*mib, false)
	if err != nil {
		t.Fatal(err)
	}
	if !isAdvised(t, raw.AddrOf(s.Base)) || !isAdvised(t, raw.AddrOf(s.Base)+6*mib-1) {
		t.Error("what a segment grew by is not advised")
	}
	other := mustAcquire(t, p, 3*mib)
	if refused, err := segment.ReleaseMany(p, []segment.Segment{s, other}); err != nil || len(refused) > 0 || up.Bytes() != 0 {
		t.Errorf("ReleaseMany: %d refused, %v, %d bytes are out", len(refused), err, up.Bytes())
	}
	// Nobody else is advised.
	if s := mustAcquire(t, segment.OS(), 9*mib); isAdvised(t, raw.AddrOf(s.Base)) {
		t.Error("pages of the bare system are advised")
	} else {
		mustRelease(t, segment.OS(), s)
	}
}
