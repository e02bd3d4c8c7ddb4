package memctx_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// BenchmarkGrow lets one block grow from 1 to 512 MiB, in steps of 64 KiB and by a
// quarter, and touches each page that it gained. It tells the MiB that were copied,
// the calls to the provider, the largest footprint and the resident MiB at
// the end and at most.
func BenchmarkGrow(b *testing.B) {
	steps := []struct {
		name string
		next func(n int) int
	}{
		{"by=64KiB", func(n int) int { return n + 64<<10 }},
		{"by=quarter", func(n int) int { return n + n/4 }},
	}
	sources := []struct {
		name string
		make func() segment.Provider
	}{
		{"os", segment.OS},
		{"cache", func() segment.Provider { return segment.NewCache(segment.OS(), 1<<30) }},
		{"copied", func() segment.Provider { return segtest.Rigid(segment.OS()) }},
		{"copied-cache", func() segment.Provider { return segtest.Rigid(segment.NewCache(segment.OS(), 1<<30)) }},
	}
	for _, step := range steps {
		for _, source := range sources {
			b.Run(step.name+"/over="+source.name, func(b *testing.B) {
				for b.Loop() {
					growOne(b, source.make(), step.next)
				}
			})
		}
	}
}

func growOne(b *testing.B, p segment.Provider, next func(int) int) {
	const from, to = 1 << 20, 512 << 20
	restartPeak(b)
	before, _ := residence(b)
	counter := segment.Counting(p)
	mc, err := memctx.New(&memctx.Options{Provider: counter})
	if err != nil {
		b.Fatal(err)
	}
	copied, n := 0, from
	block := mustAlloc(b, mc, n)
	touch(block, 0, n)
	for n < to {
		m, resizes := min(next(n), to), counter.Resizes()
		grown := mustRealloc(b, mc, block, m)
		if grown != block && counter.Resizes() == resizes {
			copied += n
		}
		touch(grown, n, m)
		block, n = grown, m
	}
	now, peak := residence(b)
	b.ReportMetric(float64(copied)/(1<<20), "copied-MiB")
	b.ReportMetric(float64(counter.Calls()), "calls")
	b.ReportMetric(float64(mc.PeakFootprint())/(1<<20), "footprint-MiB")
	b.ReportMetric(float64(now-before)/(1<<20), "resident-MiB")
	b.ReportMetric(float64(peak-before)/(1<<20), "peak-MiB")
	if err := mc.Close(); err != nil {
		b.Fatal(err)
	}
	if err := segment.Drain(p); err != nil {
		b.Fatal(err)
	}
}

// touch writes to each page in the bytes from the given ones on.
func touch(p unsafe.Pointer, from, to int) {
	bytes := bytesAt(p, to)
	for i := from; i < to; i += 4096 {
		bytes[i] = 1
	}
}

// BenchmarkSwing lets a block shrink from 64 to 1 MiB and grow back again, with its
// tail given back or retained, and uses all of it or its first MiB only.
func BenchmarkSwing(b *testing.B) {
	const small, large = 1 << 20, 64 << 20
	for name, p := range map[string]segment.Provider{"os": segment.OS(), "cache": segment.NewCache(segment.OS(), 1<<30)} {
		for _, retain := range []memctx.Size{0, 2 * large} {
			for _, used := range []int{small, large} {
				b.Run(fmt.Sprintf("over=%s/retain=%d/used=%d", name, retain>>20, used>>20), func(b *testing.B) {
					counter := segment.Counting(p)
					mc := newContext(b, &memctx.Options{Provider: counter, Retain: retain})
					block := mustAlloc(b, mc, large)
					for b.Loop() {
						block = mustRealloc(b, mc, block, small)
						block = mustRealloc(b, mc, block, large)
						touch(block, 0, used)
					}
					b.ReportMetric(float64(counter.Calls())/float64(b.N), "calls/op")
				})
			}
		}
	}
}
