package segment_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
	"time"
	"unsafe"

	"github.com/cookmem-go/cookmem/segment"
)

// crowd returns a cache with n segments of 16 KiB out and as many idle gaps
// between them.
func crowd(b *testing.B, n int) *segment.Cache {
	if bits.UintSize == 32 && n > 10_000 {
		b.Skip("not enough addresses")
	}
	c := segment.NewCache(segment.OS(), math.MaxInt)
	gaps := make([]segment.Segment, n)
	for i := range gaps {
		mustAcquire(b, c, 16*kib)
		gaps[i] = mustAcquire(b, c, 16*kib)
	}
	mustRelease(b, c, gaps...)
	return c
}

// A context that comes and goes costs its cache a tenth of a microsecond a segment,
// however many others there are, whether idle ones decay or not.
func BenchmarkCachePair(b *testing.B) {
	for _, n := range []int{0, 1000, 100_000} {
		for _, decay := range []time.Duration{0, time.Minute} {
			b.Run(fmt.Sprint(n, "/", decay), func(b *testing.B) {
				c := crowd(b, n)
				c.SetDecay(decay)
				b.ReportAllocs()
				for b.Loop() {
					s, _ := c.Acquire(16*kib, 16*kib)
					_ = c.Release(s)
				}
			})
		}
	}
}

// A context of a hundred segments is dropped in a tenth of the 43 us that the system
// takes to unmap one resident MiB, however many others there are. Behind a program
// that has used all of its memory meanwhile, it is more: see BenchmarkDrop in memctx.
func BenchmarkCacheDropHundred(b *testing.B) {
	for _, n := range []int{0, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := crowd(b, n)
			out := make([]segment.Segment, 100)
			for b.Loop() {
				b.StopTimer()
				for i := range out {
					out[i] = mustAcquire(b, c, (i+4)*4*kib)
				}
				b.StartTimer()
				_, _ = segment.ReleaseMany(c, out)
			}
		})
	}
}

// A search for neighbours in vain costs little of what it looks for: at a mapping for
// each 64 KiB of a request, whose pages are faulted in by the second benchmark.
func BenchmarkCacheLook(b *testing.B) {
	c := segment.NewCache(struct{ segment.Provider }{segment.OS()}, math.MaxInt)
	var idle []segment.Segment
	for range 1000 { // every second mapping of 1 MiB is idle
		mustAcquire(b, c, mib)
		idle = append(idle, mustAcquire(b, c, mib))
	}
	mustRelease(b, c, idle...)
	b.Run("look", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if c.Look(16 * mib) {
				b.Fatal("mappings in use are joined")
			}
		}
	})
	b.Run("fault", func(b *testing.B) {
		for b.Loop() {
			s := mustAcquire(b, segment.OS(), 16*mib)
			mustCommit(b, segment.OS(), s)
			for off := 0; off < s.Size; off += 4 * kib {
				*(*byte)(unsafe.Add(s.Base, off)) = 1
			}
			mustRelease(b, segment.OS(), s)
		}
	})
}

// A request of 16 MiB that is served from eight neighbours of 2 MiB, or from a new
// mapping, and used.
func BenchmarkCacheJoin(b *testing.B) {
	for name, source := range map[string]segment.Provider{"joined": segment.OS(), "mapped": struct{ segment.Provider }{segment.OS()}} {
		b.Run(name, func(b *testing.B) {
			c := segment.NewCache(source, math.MaxInt)
			touch := func(s segment.Segment) {
				for off := 0; off < s.Size; off += 4 * kib {
					*(*byte)(unsafe.Add(s.Base, off)) = 1
				}
			}
			for b.Loop() {
				b.StopTimer()
				if err := c.Drain(); err != nil {
					b.Fatal(err)
				}
				var row []segment.Segment
				for range 8 {
					row = append(row, mustAcquire(b, c, 2*mib))
					touch(mustCommit(b, c, row[len(row)-1]))
				}
				mustRelease(b, c, row...)
				b.StartTimer()
				s := mustAcquire(b, c, 16*mib)
				touch(mustCommit(b, c, s))
				mustRelease(b, c, s)
			}
		})
	}
}

// What a cache saves: the same pair, straight from the system, one page touched.
func BenchmarkOSPair(b *testing.B) {
	for b.Loop() {
		s, _ := segment.OS().Acquire(16*kib, 16*kib)
		_ = segment.Commit(segment.OS(), s, 0, s.Size)
		*(*byte)(s.Base) = 1
		_ = segment.OS().Release(s)
	}
}
