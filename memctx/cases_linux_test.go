package memctx_test

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// resident returns the bytes of physical memory behind the pages that p touches
// of n bytes.
func resident(t *testing.T, p unsafe.Pointer, n int) int {
	t.Helper()
	page := os.Getpagesize()
	from := uintptr(p) &^ uintptr(page-1)
	pages := (int(uintptr(p)-from) + n + page - 1) / page
	in := make([]byte, pages)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, from, uintptr(pages*page), uintptr(unsafe.Pointer(&in[0]))); errno != 0 {
		t.Fatal(errno)
	}
	bytes := 0
	for _, b := range in {
		bytes += int(b&1) * page
	}
	return bytes
}

// TestCase10_ShrunkToAlmostNothing shrinks a block of 64 MiB that was written to.
func TestCase10_ShrunkToAlmostNothing(t *testing.T) {
	for name, p := range map[string]segment.Provider{"os": segment.OS(), "default": segment.Default()} {
		t.Run(name, func(t *testing.T) { shrinkToAlmostNothing(t, p) })
	}
}

func shrinkToAlmostNothing(t *testing.T, p segment.Provider) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Provider = p
		mc := newContext(t, &o)
		const n = 64 << 20
		p := mustAlloc(t, mc, n)
		fill(p, n/8, 1)
		if before := resident(t, p, n); before < n/8 {
			t.Fatalf("%d bytes are resident of a block of %d", before, n)
		}
		before := rss(t)
		q := mustRealloc(t, mc, p, 64)
		if usable := mc.UsableSize(q); usable < 64 || usable > 256 {
			t.Errorf("usable are %d bytes", usable)
		}
		if !all(q, 64, 1) {
			t.Error("the contents are lost")
		}
		if err := mc.Trim(); err != nil {
			t.Fatal(err)
		}
		others := 1 << 20 // a process has other uses for memory meanwhile
		if slow {
			others = n / 16 // an emulator translates instructions
		}
		if saved := before - rss(t); mc.Footprint() >= 1<<20 || saved < n/8-others {
			t.Errorf("the footprint is %d, resident memory fell by %d", mc.Footprint(), saved)
		}
		if !all(q, 64, 1) {
			t.Error("the contents are lost after Trim")
		}
	})
}

// TestCase13_OneLiveBlockPinsLittle frees all blocks but one.
func TestCase13_OneLiveBlockPinsLittle(t *testing.T) {
	const total, n = 64 << 20, 8000
	system := segment.Counting(segment.OS())
	mc := newContext(t, &memctx.Options{Provider: segment.NewCache(system, 1<<30)})
	var blocks []unsafe.Pointer
	for mc.Footprint() < total {
		p := mustAlloc(t, mc, n)
		fill(p, n, 1)
		blocks = append(blocks, p)
	}
	kept := blocks[len(blocks)-10]
	before := rss(t)
	for _, p := range blocks {
		if p != kept {
			mc.Free(p)
		}
	}
	if err := mc.Trim(); err != nil {
		t.Fatal(err)
	}
	if saved := before - rss(t); saved < total*3/4 {
		t.Errorf("resident memory fell by %d bytes only", saved)
	}
	if !all(kept, n, 1) {
		t.Error("the live block lost its contents")
	}
}

// rss returns the resident bytes of this process.
func rss(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestCase16_AddressSpaceLimit runs this test once more in a process with 1 GiB
// of addresses beyond what it has, as under ulimit -v.
func TestCase16_AddressSpaceLimit(t *testing.T) {
	if os.Getenv("COOKMEM_TEST_ULIMIT") != "" {
		exhaust(t)
		return
	}
	if raceEnabled || bits.UintSize == 32 {
		t.Skip("the race detector and 32-bit systems have other limits on addresses")
	}
	if os.Getenv("COOKMEM_QEMU") != "" {
		t.Skip("an emulated process cannot start another one")
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), "COOKMEM_TEST_ULIMIT=1")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "exhausted after") {
		t.Errorf("%v\n%s", err, out)
	}
}

// exhaust takes all addresses that are left, and gives them back.
func exhaust(t *testing.T) {
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	mc := newContext(t, nil)
	blocks := make([]unsafe.Pointer, 0, 4096)
	const n, enough = 1 << 20, 1 << 30
	// The limit counts what the runtime has reserved already.
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: uint64(vsize(t) + enough), Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	var failure error
	for failure == nil && len(blocks) < cap(blocks) {
		var p unsafe.Pointer
		if p, failure = mc.Alloc(n); failure == nil {
			blocks = append(blocks, p)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(failure, memctx.ErrNoMemory) || len(blocks) < enough/n*3/4 {
		t.Fatalf("after %d blocks: %v", len(blocks), failure)
	}
	mustCheck(t, mc)
	for _, p := range blocks {
		mc.Free(p)
	}
	t.Logf("exhausted after %d blocks", len(blocks))
}

// vsize returns the bytes of addresses that this process uses.
func vsize(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestBytesTouched counts pages that become resident, as a budget: of blocks of
// which a program uses the beginning, the heap itself touches no more than that.
func TestBytesTouched(t *testing.T) {
	for _, c := range []struct {
		n, count int
		most     float64 // pages that a block may make resident
	}{
		{64 << 10, 200, 2.1},  // its head and first byte, and that of the next one
		{256 << 10, 400, 2.2}, // a segment each: the first page and the fence
	} {
		mc := newContext(t, &memctx.Options{Provider: segment.OS()})
		mustAlloc(t, mc, 1)
		before := rss(t)
		for range c.count {
			*(*byte)(mustAlloc(t, mc, c.n)) = 1
		}
		pages := float64(rss(t)-before) / float64(c.count) / float64(os.Getpagesize())
		if pages > c.most {
			t.Errorf("a block of %d bytes made %.2f pages resident, the budget is %.2f", c.n, pages, c.most)
		}
		t.Logf("%d bytes: %.2f pages a block", c.n, pages)
	}
}
