package memctx_test

import (
	"sync"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
)

// TestWatchedByOthers lets one goroutine use a context while others call what
// may be called from anywhere. It is for the race detector, which sees Go memory
// only, and for the promise that a watcher never reads an impossible value.
func TestWatchedByOthers(t *testing.T) {
	mc := newContext(t, &memctx.Options{Name: "watched", Provider: segment.Heap(), Retain: 1})
	done := make(chan struct{})
	var watchers sync.WaitGroup
	for range 3 {
		watchers.Go(func() {
			for peak := 0; ; time.Sleep(10 * time.Microsecond) {
				select {
				case <-done:
					return
				default:
				}
				footprint, now := mc.Footprint(), mc.PeakFootprint()
				if footprint < 0 || now < peak || mc.Name() != "watched" || mc.Limit() < 1<<20 {
					t.Errorf("footprint %d, peak %d after %d, limit %d", footprint, now, peak, mc.Limit())
					return
				}
				peak = now
				mc.SetLimit(1<<20 + footprint)
				mc.SetLimit(memctx.NoLimit)
			}
		})
	}
	for range 500 {
		p, err := mc.Alloc(300_000)
		if err == nil {
			mc.Free(p)
		}
		if p, err = mc.Alloc(100); err == nil {
			fill(p, 100, 1)
			mc.Free(p)
		}
	}
	close(done)
	watchers.Wait()
}

// TestContextsInParallel lets goroutines use contexts of their own over one
// cache.
func TestContextsInParallel(t *testing.T) {
	system := segment.Counting(segment.Heap())
	cache := segment.NewCache(system, 4<<20)
	seed := segtest.Seed(t)
	t.Run("group", func(t *testing.T) {
		eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
			t.Parallel()
			o.Provider = cache
			runModel(t, model.Config{Options: o, Every: 200}, seed, 3000)
		})
	})
	if err := cache.Check(); err != nil {
		t.Error(err)
	}
	if err := cache.Drain(); err != nil || system.Bytes() != 0 {
		t.Errorf("Drain = %v, %d bytes held", err, system.Bytes())
	}
}
