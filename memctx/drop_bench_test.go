package memctx

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/segment"
)

// BenchmarkDrop closes a context with 1,000,000 live blocks into a cache that has
// held its segments before. It reports the shortest time and the median in
// nanoseconds: the allocations between two drops are not in them, which is why the
// ns/op of this benchmark, of a whole round, is of no interest.
func BenchmarkDrop(b *testing.B) {
	for _, n := range []int{64, 208} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			cache := segment.NewCache(segment.OS(), 1<<30)
			dropMillion(b, cache, n)
			var times []time.Duration
			for range b.N {
				times = append(times, dropMillion(b, cache, n))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[0]), "min-ns/drop")
			b.ReportMetric(float64(times[len(times)/2]), "median-ns/drop")
			if err := cache.Drain(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// dropMillion returns how long Close takes with a million blocks of n bytes.
func dropMillion(b *testing.B, cache *segment.Cache, n int) time.Duration {
	mc, err := New(&Options{Provider: cache})
	if err != nil {
		b.Fatal(err)
	}
	for range 1_000_000 {
		if _, err := mc.Alloc(n); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	err = mc.Close()
	took := time.Since(start)
	if err != nil {
		b.Fatal(err)
	}
	return took
}
