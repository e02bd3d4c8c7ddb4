package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/cookmem-go/cookmem/memctx"
)

func main() {
	log.SetFlags(0)
	limit := memctx.Size(512 << 20)
	n := flag.Int("n", 10_000_000, "number of `entries` to insert")
	flag.Var(&limit, "limit", "largest `size` of the cache")
	flag.Parse()
	if err := run(os.Stdout, *n, limit); err != nil {
		log.Fatal(err)
	}
}

// run inserts n entries into each of three caches, one after the other.
func run(w io.Writer, n int, limit memctx.Size) error {
	fmt.Fprintf(w, "%d entries of 16 to 175 bytes\n\n", n)
	fmt.Fprintf(w, "%-24s%12s%12s%12s%12s%14s\n", "", "ns/entry", "kept", "evicted", "memory", "collection")
	free, err := offHeap(w, "without limit", n, memctx.NoLimit)
	if err != nil {
		return err
	}
	capped, err := offHeap(w, "within "+limit.String(), n, limit)
	if err != nil {
		return err
	}
	onHeap(w, n)
	fmt.Fprintf(w, "\nwithin the limit an entry takes %.1f times as long as without\n", capped/free)
	return nil
}

// offHeap fills a Cache and returns nanoseconds an entry.
func offHeap(w io.Writer, name string, n int, limit memctx.Size) (perEntry float64, err error) {
	err = memctx.Scope(&memctx.Options{Name: "cache", Limit: limit}, func(mc *memctx.Context) error {
		c := NewCache(mc)
		start := time.Now()
		values := newValues()
		for key := range uint64(n) {
			if err := c.Put(key, values.next()); err != nil {
				return err
			}
		}
		perEntry = float64(time.Since(start)) / float64(n)
		if mc.PeakFootprint() > int(limit) {
			return fmt.Errorf("a footprint of %v beyond the limit", memctx.Size(mc.PeakFootprint()))
		}
		report(w, name, perEntry, c.Len(), c.evictions, mc.PeakFootprint(), collection())
		runtime.KeepAlive(c)
		return nil
	})
	return perEntry, err
}

// onHeap fills a Go map.
func onHeap(w io.Writer, n int) {
	before := heapBytes()
	start := time.Now()
	values := newValues()
	m := map[uint64][]byte{}
	for key := range uint64(n) {
		m[key] = append([]byte(nil), values.next()...)
	}
	perEntry := float64(time.Since(start)) / float64(n)
	report(w, "Go map", perEntry, len(m), 0, heapBytes()-before, collection())
	runtime.KeepAlive(m)
}

func report(w io.Writer, name string, perEntry float64, kept, evicted, bytes int, collection time.Duration) {
	fmt.Fprintf(w, "%-24s%12.0f%12d%12d%8.0f MiB%14v\n", name, perEntry, kept, evicted,
		float64(bytes)/(1<<20), collection.Round(10*time.Microsecond))
}

// collection returns how long the collector takes, at the best of three times.
func collection() time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		runtime.GC()
		best = min(best, time.Since(start))
	}
	return best
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// values makes values of random sizes, the same ones each time.
type values struct {
	rng  *rand.Rand
	text [175]byte
}

func newValues() *values {
	v := &values{rng: rand.New(rand.NewPCG(26, 26))}
	for i := range v.text {
		v.text[i] = byte('a' + i%26)
	}
	return v
}

func (v *values) next() []byte { return v.text[:16+v.rng.IntN(160)] }
