package segment_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// huge is more than there is, at least if asked for a few times: 1<<61, on
// 32-bit systems 1<<30.
const huge = 1 << (^uint(0)>>63*31 + 30)

func TestOSErrorIsTheSystems(t *testing.T) {
	var out []segment.Segment
	for range 8 { // on 32-bit, no process has 8 GiB
		s, err := segment.OS().Acquire(huge, huge)
		if err != nil {
			if !errors.Is(err, segment.ErrNoMemory) || !errors.Is(err, syscall.ENOMEM) {
				t.Errorf("%v does not wrap both errors", err)
			}
			mustRelease(t, segment.OS(), out...)
			return
		}
		out = append(out, s)
	}
	t.Error("there was no end of memory")
}

func TestOSDiscardFrees(t *testing.T) {
	s := mustAcquire(t, segment.OS(), 64<<20)
	defer mustRelease(t, segment.OS(), s)
	segtest.Fill(s, 1)
	before := statm(t)[1]
	if err := segment.Discard(segment.OS(), s, 0, s.Size); err != nil {
		t.Fatal(err)
	}
	if freed := (before - statm(t)[1]) * os.Getpagesize(); freed < 32<<20 {
		t.Errorf("discarding 64 MiB freed %d bytes", freed)
	}
	if !segtest.All(s, 0) {
		t.Error("discarded pages still have contents")
	}
}

func TestOSResizeMovesAndStays(t *testing.T) {
	p := segment.OS()
	s := mustAcquire(t, p, 1<<20)
	segtest.Fill(s, 5)
	grown, err := segment.Resize(p, s, 256<<20, 256<<20, false)
	if err != nil || grown.Size != 256<<20 {
		t.Fatal(grown, err)
	}
	if !segtest.All(segment.Segment{Base: grown.Base, Size: 1 << 20}, 5) {
		t.Error("contents lost")
	}
	if r, err := segment.Resize(p, grown, huge, huge, true); !errors.Is(err, segment.ErrNoMemory) || r != grown {
		t.Errorf("Resize to %d bytes = %v, %v", huge, r, err)
	}
	mustRelease(t, p, grown)
}

// TestOSResizeWishes asks for more than there is where less would do.
func TestOSResizeWishes(t *testing.T) {
	p := segment.OS()
	s := mustAcquire(t, p, 1<<20)
	segtest.Fill(s, 5)
	r, err := segment.Resize(p, s, 3<<20, huge, false)
	if err != nil || r.Size < 3<<20 {
		t.Fatal(r, err)
	}
	if !segtest.All(segment.Segment{Base: r.Base, Size: 1 << 20}, 5) {
		t.Error("contents lost")
	}
	mustRelease(t, p, r)
}

// TestCase16_AddressSpace runs itself in a process that may have 2 GiB of
// addresses, or half a gigabyte more than the runtime has reserved by itself.
func TestCase16_AddressSpace(t *testing.T) {
	if os.Getenv("COOKMEM_ADDRESS_SPACE") != "" {
		exhaustAddressSpace(t)
		return
	}
	if os.Getenv("COOKMEM_QEMU") != "" {
		t.Skip("an emulated process cannot start another one")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestCase16_AddressSpace$", "-test.v")
	child.Env = append(os.Environ(), "COOKMEM_ADDRESS_SPACE=limited")
	out, err := child.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("segments, then")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func exhaustAddressSpace(t *testing.T) {
	limit := max(2<<30, uint64(statm(t)[0]*os.Getpagesize())+512<<20)
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skip(err)
	}
	for name, p := range map[string]segment.Provider{"os": segment.OS(), "cache": segment.NewCache(segment.OS(), 1<<30)} {
		var out []segment.Segment
		for range 100 {
			s, err := p.Acquire(64<<20, 64<<20)
			if err != nil {
				t.Logf("%s: %d segments, then %v", name, len(out), err)
				if !errors.Is(err, segment.ErrNoMemory) || !errors.Is(err, syscall.ENOMEM) {
					t.Error("that does not wrap both errors")
				}
				break
			}
			out = append(out, s)
		}
		if len(out) == 0 || len(out) == 100 {
			t.Fatalf("%s: %d segments of 64 MiB", name, len(out))
		}
		mustRelease(t, p, out...)
		mustRelease(t, p, mustAcquire(t, p, 128<<20))
		if c, ok := p.(*segment.Cache); ok {
			if err := c.Drain(); err != nil {
				t.Error(err)
			}
			mustCheck(t, c)
		}
	}
}

// statm returns the pages of addresses that this process has, and how many of
// them are resident.
func statm(t *testing.T) [2]int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var pages [2]int
	if _, err := fmt.Sscan(string(text), &pages[0], &pages[1]); err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestPopulate asks the system which pages are resident.
func TestPopulate(t *testing.T) {
	page := os.Getpagesize()
	s := mustAcquire(t, segment.OS(), 16*page)
	defer mustRelease(t, segment.OS(), s)
	memory := unsafe.Slice((*byte)(s.Base), s.Size)
	resident := func() string {
		in := make([]byte, 16)
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(s.Base), uintptr(s.Size), uintptr(unsafe.Pointer(&in[0]))); errno != 0 {
			t.Fatal(errno)
		}
		return fmt.Sprint(in)
	}
	if err := unix.Madvise(memory[:page], unix.MADV_POPULATE_WRITE); err != nil || resident()[1] == '0' {
		t.Skip("this kernel, or who plays it, does not follow the advice:", err)
	}
	segment.Populate(s, 4*page+1, 4*page) // three whole pages
	segment.Populate(s, 15*page, 2*page)  // not in s
	segment.Populate(s, -page, page)
	if got, want := resident(), "[1 0 0 0 0 1 1 1 0 0 0 0 0 0 0 0]"; got != want {
		t.Errorf("resident pages %s, want %s", got, want)
	}
}

// TestOSJoinsMappings joins segments that are two mappings to the kernel, which can
// be used, discarded and released as one, but not enlarged.
func TestOSJoinsMappings(t *testing.T) {
	p := segment.OS()
	whole := mustAcquire(t, p, 8<<20)
	a, b, err := segment.Split(p, whole, 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Madvise(unsafe.Slice((*byte)(b.Base), b.Size), unix.MADV_DONTDUMP); err != nil {
		t.Skip(err)
	}
	s, err := segment.Join(p, a, b)
	if err != nil || s.Base != whole.Base || s.Size != whole.Size {
		t.Fatal(s, err)
	}
	segtest.Fill(s, 5)
	r, err := segment.Resize(p, s, 64<<20, 64<<20, false)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) || err != nil && r != s {
		t.Errorf("Resize of two mappings: %v, %v", r, err)
	}
	if s = r; !segtest.All(segment.Segment{Base: s.Base, Size: 8 << 20}, 5) {
		t.Error("contents lost")
	}
	if err := segment.Discard(p, s, 0, s.Size); err != nil || !segtest.All(s, 0) {
		t.Errorf("Discard of two mappings: %v", err)
	}
	pages := statm(t)[0]
	mustRelease(t, p, s)
	if freed := (pages - statm(t)[0]) * os.Getpagesize(); freed < 8<<20 {
		t.Errorf("releasing %d bytes gave %d back", s.Size, freed)
	}
}
