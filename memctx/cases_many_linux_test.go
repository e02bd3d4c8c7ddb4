package memctx_test

import (
	"bytes"
	"math/bits"
	"os"
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
