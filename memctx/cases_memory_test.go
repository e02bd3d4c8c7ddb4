package memctx_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
)

// These cases are about what a context holds, takes and gives back.

// TestCase11_OneSizeOverAndOver counts what reaches the system beneath the cache.
func TestCase11_OneSizeOverAndOver(t *testing.T) {
	const retain = 1 << 20
	for _, n := range []int{64, 4096, 256 << 10, retain - 1, retain, retain + 1, 3 << 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			system := segment.Counting(segment.OS())
			mc := newContext(t, &memctx.Options{Retain: retain, Provider: segment.NewCache(system, 64<<20)})
			for range 200_000 {
				mc.Free(mustAlloc(t, mc, n))
			}
			if got := system.Calls(); got >= 100 {
				t.Errorf("200,000 blocks of %d bytes cost %d calls", n, got)
			}
		})
	}
}

// TestCase11_BareProvider has no cache: what the context may retain is enough.
func TestCase11_BareProvider(t *testing.T) {
	for _, n := range []int{64, 4096, 256 << 10, 1<<20 - 4096} {
		system := segment.Counting(segment.OS())
		mc := newContext(t, &memctx.Options{Retain: 2 << 20, Provider: system})
		for range 20_000 {
			mc.Free(mustAlloc(t, mc, n))
		}
		if got := system.Calls(); got >= 100 {
			t.Errorf("20,000 blocks of %d bytes cost %d calls", n, got)
		}
	}
}

func TestCase12_LargeBlocksInTurns(t *testing.T) {
	system := segment.Counting(segment.OS())
	mc := newContext(t, &memctx.Options{Provider: segment.NewCache(system, 256<<20)})
	r := rand.New(rand.NewPCG(segtest.Seed(t), 12))
	var kept unsafe.Pointer
	for range 10_000 {
		p := mustAlloc(t, mc, (1+r.IntN(30))<<20)
		mc.Free(kept)
		kept = p
	}
	if got := system.Calls(); got >= 100 {
		t.Errorf("10,000 blocks of 1 to 30 MiB cost %d calls", got)
	}
	if held := system.Acquires() - system.Releases(); held > 20 {
		t.Errorf("%d mappings are held", held)
	}
}

// TestCase13_EverythingFreed fills a context, frees all and trims: through the
// cache, the memory goes back to the system.
func TestCase13_EverythingFreed(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		system := segment.Counting(segment.OS())
		o.Provider = segment.NewCache(system, 1<<30)
		mc := newContext(t, &o)
		for _, n := range []int{100, 1000, 20_000, 2 << 20} {
			var blocks []unsafe.Pointer
			for mc.Footprint() < less(32<<20) {
				blocks = append(blocks, mustAlloc(t, mc, n))
			}
			for _, p := range blocks {
				mc.Free(p)
			}
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			if mc.Footprint() != 0 || system.Bytes() != 0 {
				t.Errorf("after all blocks of %d bytes: footprint %d, system %d", n, mc.Footprint(), system.Bytes())
			}
		}
	})
}

// TestCase14_ReleaseFails keeps what cannot be given back, uses it again, and
// gives it back as soon as that is possible.
func TestCase14_ReleaseFails(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		counter := segment.Counting(segment.Heap())
		stuck := segtest.NewStuck(counter)
		o.Provider, o.Retain = stuck, 1
		mc := newContext(t, &o)
		const n = 4 << 20
		mc.Free(mustAlloc(t, mc, n))
		if stuck.Refused() != 1 || mc.Footprint() < n || mc.Stats().LargestFree < n {
			t.Fatalf("after %d refusals: %+v", stuck.Refused(), mc.Stats())
		}
		acquired := counter.Acquires()
		mc.Free(mustAlloc(t, mc, n))
		if counter.Acquires() != acquired {
			t.Error("the memory that was kept is not used")
		}
		if err := mc.Trim(); !errors.Is(err, memctx.ErrNoMemory) {
			t.Errorf("Trim = %v", err)
		}
		mustCheck(t, mc)
		if err := mc.Reset(); !errors.Is(err, memctx.ErrNoMemory) {
			t.Errorf("Reset = %v", err)
		}
		mustCheck(t, mc)
		for range 3 {
			mustFail(t, mc.Close(), memctx.ErrNoMemory, "Close")
			if mc.Footprint() != counter.Bytes() || counter.Bytes() < n {
				t.Fatalf("footprint %d, held %d", mc.Footprint(), counter.Bytes())
			}
		}
		stuck.Heal()
		if err := mc.Close(); err != nil || counter.Bytes() != 0 {
			t.Errorf("Close = %v, held %d", err, counter.Bytes())
		}
	})
}

// TestCase15_ManySegments has one segment for each of 10,000 blocks.
func TestCase15_ManySegments(t *testing.T) {
	mc, counter := newCounted(t, memctx.Options{Provider: segtest.Stingy(segment.Heap()), Retain: 1})
	const count, n = 10_000, 1000
	var blocks []unsafe.Pointer
	for range count {
		blocks = append(blocks, mustAlloc(t, mc, 8*n))
	}
	if got := mc.Stats().Segments; got != count || got != counter.Acquires() {
		t.Errorf("%d segments, %d acquired", got, counter.Acquires())
	}
	mustCheck(t, mc)
	r := rand.New(rand.NewPCG(segtest.Seed(t), 15))
	r.Shuffle(count, func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	for _, p := range blocks {
		mc.Free(p)
	}
	if err := mc.Trim(); err != nil || mc.Footprint() != 0 {
		t.Errorf("Trim = %v, footprint %d", err, mc.Footprint())
	}
}

func TestCase15_TinyLimitsAndRetains(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for _, retain := range []memctx.Size{1, 2, 4096} {
			o.Retain = retain
			mc, _ := newCounted(t, o)
			for _, n := range []int{0, 1, 100, 10_000, 100_000} {
				p := mustAlloc(t, mc, n)
				mustCheck(t, mc)
				mc.Free(p)
			}
			if err := mc.Reset(); err != nil || mc.Footprint() > int(retain) {
				t.Errorf("Reset = %v, footprint %d above a retain of %d", err, mc.Footprint(), retain)
			}
		}
	})
}

func TestCase18_Limits(t *testing.T) {
	if _, err := memctx.New(&memctx.Options{Limit: -1}); err == nil {
		t.Error("a negative limit was accepted")
	}
	if _, err := memctx.New(&memctx.Options{Retain: -1}); err == nil {
		t.Error("a negative retain was accepted")
	}
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, counter := newCounted(t, o)
		for _, limit := range []int{-5, 0, 1, 15, 39} {
			mc.SetLimit(limit)
			_, err := mc.Alloc(0)
			mustFail(t, err, memctx.ErrLimit, "Alloc")
			if mc.Limit() != max(limit, 0) || mc.PeakFootprint() != 0 {
				t.Errorf("limit %d, peak %d", mc.Limit(), mc.PeakFootprint())
			}
		}
		for _, limit := range []int{4095, 4096, 5000} {
			mc.SetLimit(limit)
			p := mustAlloc(t, mc, 100)
			if mc.PeakFootprint() > limit {
				t.Errorf("peak %d above %d", mc.PeakFootprint(), limit)
			}
			mc.Free(p)
			if err := mc.Trim(); err != nil || mc.Footprint() != 0 {
				t.Errorf("Trim = %v, footprint %d", err, mc.Footprint())
			}
		}
		mc.SetLimit(memctx.NoLimit)
		big := mustAlloc(t, mc, 300_000)
		mustAlloc(t, mc, 100)
		mc.SetLimit(0)
		acquired := counter.Acquires()
		for range 10 { // present segments still serve
			mc.Free(mustAlloc(t, mc, 100))
		}
		_, err := mc.Alloc(600_000)
		mustFail(t, err, memctx.ErrLimit, "Alloc")
		mc.Free(big)
		mustAlloc(t, mc, 290_000)
		if counter.Acquires() != acquired {
			t.Error("a new segment was taken above the limit")
		}
	})
}

// TestCase18_PeakStaysBelowTheLimit gives the provider units that do not divide
// the limit.
func TestCase18_PeakStaysBelowTheLimit(t *testing.T) {
	for _, page := range []int{4 << 10, 16 << 10, 64 << 10} {
		const limit = 1<<20 + 1000
		mc := newContext(t, &memctx.Options{Limit: limit, Provider: segtest.Paged(segment.Heap(), page)})
		for _, n := range []int{100, 10_000, 50_000, 1000, 1} {
			for {
				if _, err := mc.Alloc(n); err != nil {
					mustFail(t, err, memctx.ErrLimit, "Alloc")
					break
				}
			}
		}
		if peak := mc.PeakFootprint(); peak > limit || peak < limit-2*page {
			t.Errorf("pages of %d: the peak is %d at a limit of %d", page, peak, limit)
		}
	}
}

// TestCase18_GenerousProvider gives more than was wished for: what fits within
// the limit at the minimum must be served.
func TestCase18_GenerousProvider(t *testing.T) {
	const limit, extra = 20_000, 12_345
	mc := newContext(t, &memctx.Options{Limit: limit, Provider: segtest.Generous(segment.Heap(), extra)})
	mustAlloc(t, mc, 100)
	if mc.PeakFootprint() > limit {
		t.Errorf("peak %d above %d", mc.PeakFootprint(), limit)
	}
}

// TestCase18_FixedBuffer takes a part of a buffer, up to the limit, or nearly all
// of it, for blocks of any size, and gives everything back each time.
func TestCase18_FixedBuffer(t *testing.T) {
	const size = 1 << 20
	buffer := segment.Fixed(make([]byte, size))
	for _, limit := range []int{memctx.NoLimit, size, size - 100, 500_001, 100_000, 20_000} {
		for _, n := range []int{100, 1000, 6000} {
			mc, _ := newCounted(t, memctx.Options{Provider: buffer, Limit: memctx.Size(limit)})
			served, err := 0, error(nil)
			for ; err == nil; served += n {
				_, err = mc.Alloc(n)
			}
			if most := min(limit, size); mc.PeakFootprint() > most || served < most*85/100-2*n {
				t.Errorf("limit %d: %d bytes in blocks of %d, peak %d: %v", limit, served, n, mc.PeakFootprint(), err)
			}
			mustCheck(t, mc)
			if err := mc.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestCase19_RefusalsCostNothing(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Limit = 1 << 20
		mc, counter := newCounted(t, o)
		mustAlloc(t, mc, 10)
		footprint, calls := mc.Footprint(), counter.Calls()
		for range 1000 {
			_, err := mc.Alloc(2 << 20)
			mustFail(t, err, memctx.ErrLimit, "Alloc")
		}
		if mc.Footprint() != footprint || counter.Calls() != calls {
			t.Errorf("footprint %d, then %d; calls %d, then %d", footprint, mc.Footprint(), calls, counter.Calls())
		}
		mustAlloc(t, mc, 512<<10)
	})
}

func TestCase24_PageSizes(t *testing.T) {
	seed := segtest.Seed(t)
	for _, page := range []int{4 << 10, 16 << 10, 64 << 10} {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			o.Provider = segtest.Paged(segment.Heap(), page)
			runModel(t, model.Config{Options: o, Every: 50}, seed, 1000)
		})
	}
}

// TestCase26_CacheAtItsLimit keeps a context at its limit by evicting the oldest
// entry until the new one fits.
func TestCase26_CacheAtItsLimit(t *testing.T) {
	const limit = 2 << 20
	entries := less(60_000)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Limit = limit
		mc, counter := newCounted(t, o)
		r := rand.New(rand.NewPCG(segtest.Seed(t), 26))
		var queue []unsafe.Pointer
		refused, worst := 0, 0
		for range entries {
			n := 16 + r.IntN(1000)
			p, err := mc.Alloc(n)
			evicted := 0
			for ; err != nil; p, err = mc.Alloc(n) {
				mustFail(t, err, memctx.ErrLimit, "Alloc")
				if s := mc.Stats(); s.LargestFree > 2*n+256 {
					t.Fatalf("%d bytes refused while %d are free", n, s.LargestFree)
				}
				refused++
				evicted++
				mc.Free(queue[0])
				queue = queue[1:]
			}
			worst = max(worst, evicted)
			queue = append(queue, p)
		}
		live := mc.Stats().InUse
		if mc.PeakFootprint() > limit || live < limit*7/10 {
			t.Errorf("peak %d, in use %d of %d", mc.PeakFootprint(), live, limit)
		}
		if refused > 3*entries || worst > 200 || counter.Acquires() > 1000 {
			t.Errorf("%d refusals, up to %d for one entry, %d segments acquired", refused, worst, counter.Acquires())
		}
	})
}

// TestCase29_FIFOWindows lets blocks of random sizes come and go in order: what
// is cached and what is held must stay in proportion to what is in use.
func TestCase29_FIFOWindows(t *testing.T) {
	for _, window := range []int{1024, less(20_000)} {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			mc, _ := newCounted(t, o)
			r := rand.New(rand.NewPCG(segtest.Seed(t), 29))
			blocks := make([]unsafe.Pointer, window)
			for i := range 5 * window {
				mc.Free(blocks[i%window])
				blocks[i%window] = mustAlloc(t, mc, 16+r.IntN(7985))
				if i%window == 0 && i > 0 {
					s := mc.Stats()
					if s.Cached > min(s.InUse, 1<<20)+s.InUse/8+(64<<10) {
						t.Errorf("%d bytes cached at %d in use", s.Cached, s.InUse)
					}
					if s.Footprint > s.InUse+s.InUse/2+(1<<20) {
						t.Errorf("footprint %d at %d in use", s.Footprint, s.InUse)
					}
				}
			}
		})
	}
}

// TestFewBlocksOfRandomSizes bounds what lists keep where each class has few blocks.
// With twice as many classes the footprints of such windows were 1.54 times what was
// asked for and more; now nine of ten are 1.43 times that.
func TestFewBlocksOfRandomSizes(t *testing.T) {
	const windows, window, least, most = 8, 1024, 16, 2047
	r := rand.New(rand.NewPCG(segtest.Seed(t), 11))
	footprints := 0
	for range windows {
		mc := newContext(t, &memctx.Options{Provider: segment.OS()})
		blocks := make([]unsafe.Pointer, window)
		for i := range 200 * window {
			mc.Free(blocks[i%window])
			blocks[i%window] = mustAlloc(t, mc, least+r.IntN(most-least+1))
		}
		footprints += int(mc.PeakFootprint())
	}
	ratio := float64(footprints) / (windows * window * (least + most) / 2)
	t.Logf("footprints are %.3f times what is asked for", ratio)
	if ratio > 1.5 {
		t.Errorf("footprints are %.3f times what is asked for", ratio)
	}
}

// TestCase30_ManyContexts closes every second of many contexts over one cache.
func TestCase30_ManyContexts(t *testing.T) {
	const count = 5000
	system := segment.Counting(segment.Heap())
	stuck := segtest.NewStuck(system)
	cache := segment.NewCache(stuck, 64<<20)
	contexts := make([]*memctx.Context, count)
	for i := range contexts {
		contexts[i] = newContext(t, &memctx.Options{Provider: cache})
		fill(mustAlloc(t, contexts[i], 500), 500, byte(i))
	}
	if mappings := system.Acquires(); mappings > count/20 {
		t.Errorf("%d contexts need %d mappings", count, mappings)
	}
	for i := 0; i < count; i += 2 {
		if err := contexts[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	cache.Drain()
	for i := 1; i < count; i += 2 {
		mustCheck(t, contexts[i])
		for b := range contexts[i].Blocks() {
			if !all(memctx.Addr(b.Addr).Pointer(), 500, byte(i)) {
				t.Fatalf("context %d lost its contents", i)
			}
		}
		if err := contexts[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cache.Drain(); err == nil {
		t.Error("Drain reports nothing although nothing could be given back")
	}
	if err := cache.Check(); err != nil {
		t.Error(err)
	}
	stuck.Heal()
	if err := cache.Drain(); err != nil || system.Bytes() != 0 {
		t.Errorf("Drain = %v, %d bytes held", err, system.Bytes())
	}
}
