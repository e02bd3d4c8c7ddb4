package memctx_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// mappingsOf returns the number of mappings of this process.
func mappingsOf(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// residence returns the resident memory of this process, and the most it has been
// since restartPeak, in bytes.
func residence(t testing.TB) (now, peak int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "VmRSS: %d kB", &now)
		fmt.Sscanf(line, "VmHWM: %d kB", &peak)
	}
	return now << 10, peak << 10
}

// restartPeak makes the peak begin with what is resident now.
func restartPeak(t testing.TB) {
	t.Helper()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip("the peak of this process cannot be reset:", err)
	}
}

// TestCase30_ResidentSize keeps as many contexts as the next test and looks at their
// resident memory: 8 KiB for each, the Context and what the cache knows of its segment
// included.
func TestCase30_ResidentSize(t *testing.T) {
	if bits.UintSize == 32 || raceEnabled || os.Getpagesize() != 4096 || os.Getenv("COOKMEM_QEMU") != "" {
		t.Skip("other words, other pages, or others' memory beside ours")
	}
	const count = 100_000
	cache := segment.NewCache(segment.OS(), 64<<20)
	contexts := make([]*memctx.Context, count)
	clear(contexts)
	debug.FreeOSMemory()
	restartPeak(t)
	before, _ := residence(t)
	mappings := mappingsOf(t)
	for i := range contexts {
		mc, err := memctx.New(&memctx.Options{Provider: cache})
		if err != nil {
			t.Fatal(err)
		}
		contexts[i] = mc
		for _, n := range []int{24, 100, 40} {
			fill(mustAlloc(t, mc, n), n, byte(i))
		}
	}
	_, peak := residence(t)
	mappings = mappingsOf(t) - mappings
	t.Logf("%d bytes resident and %d mappings for %d contexts: %d bytes each", peak-before, mappings, count, (peak-before)/count)
	if each := (peak - before) / count; each > 8<<10 {
		t.Errorf("%d bytes are resident for each context", each)
	}
	if mappings > 5000 {
		t.Errorf("%d mappings for %d contexts", mappings, count)
	}
	for _, mc := range contexts {
		if err := mc.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cache.Drain(); err != nil {
		t.Error(err)
	}
}

// TestCase30_HundredThousandContexts keeps them alive at once, with three blocks
// each, over pages of the system; then closes every second one and drains. The
// system allows 65,530 mappings by default.
func TestCase30_HundredThousandContexts(t *testing.T) {
	count := 100_000
	if bits.UintSize == 32 || raceEnabled || os.Getenv("COOKMEM_QEMU") != "" {
		count = 10_000
	}
	system := segment.Counting(segment.OS())
	cache := segment.NewCache(system, 64<<20)
	before := mappingsOf(t)
	contexts := make([]*memctx.Context, count)
	for i := range contexts {
		mc, err := memctx.New(&memctx.Options{Provider: cache})
		if err != nil {
			t.Fatal(err)
		}
		contexts[i] = mc
		for _, n := range []int{24, 100, 40} {
			fill(mustAlloc(t, mc, n), n, byte(i))
		}
	}
	few := func(when string) {
		if n := mappingsOf(t) - before; n > 5000 {
			t.Errorf("%s: %d mappings more than before", when, n)
		}
	}
	few("alive")
	if n := system.Acquires(); n > count/50 {
		t.Errorf("%d contexts need %d calls of the system", count, n)
	}
	for i := 0; i < count; i += 2 {
		if err := contexts[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cache.Drain(); err != nil {
		t.Error(err)
	}
	few("half of them closed")
	for i := 1; i < count; i += 2 {
		blocks := 0
		for b := range contexts[i].Blocks() {
			if blocks++; !all(memctx.Addr(b.Addr).Pointer(), 24, byte(i)) {
				t.Fatalf("context %d lost its contents", i)
			}
		}
		if blocks != 3 {
			t.Fatalf("context %d has %d blocks", i, blocks)
		}
		if i%101 == 0 {
			mustCheck(t, contexts[i])
		}
		if err := contexts[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cache.Check(); err != nil {
		t.Error(err)
	}
	if err := cache.Drain(); err != nil || system.Bytes() != 0 {
		t.Errorf("Drain = %v, %d bytes held", err, system.Bytes())
	}
	few("at the end")
}
