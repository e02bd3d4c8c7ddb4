package memctx_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// equalSegments is a provider of segments of one size.
type equalSegments struct {
	*segment.Counter
	size int
}

func (p equalSegments) Acquire(_, _ int) (segment.Segment, error) {
	return p.Counter.Acquire(p.size, p.size)
}

// TestCloseCountsSegments closes contexts that hold the same segments, but 1,000
// blocks or 1,000,000: the provider must not see a difference. That no block is
// visited either is what TestCloseTouchesNothing shows.
func TestCloseCountsSegments(t *testing.T) {
	calls := func(blocks, n int, end func(*memctx.Context) error) (count, segments int) {
		counter := segment.Counting(segment.OS())
		mc := newContext(t, &memctx.Options{Provider: equalSegments{counter, 16 << 20}, Retain: 1})
		for range blocks {
			if _, err := mc.Alloc(n); err != nil {
				t.Fatal(err)
			}
		}
		if got := mc.Stats().Blocks; got != uint(blocks) {
			t.Fatalf("%d blocks", got)
		}
		before := counter.Calls()
		if err := end(mc); err != nil {
			t.Fatal(err)
		}
		return counter.Calls() - before, counter.Acquires()
	}
	for name, end := range map[string]func(*memctx.Context) error{
		"Close": (*memctx.Context).Close, "Reset": (*memctx.Context).Reset,
	} {
		few, segments := calls(1000, 70_000, end)
		many, same := calls(1_000_000, 56, end)
		if segments < 4 || same < segments-1 || same > segments+1 || few != segments || many != same {
			t.Errorf("%s: %d calls for 1,000 blocks in %d segments, %d for 1,000,000 in %d", name, few, segments, many, same)
		}
	}
}

// TestPathsThatDoNotAllocate counts objects on the Go heap.
func TestPathsThatDoNotAllocate(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Provider = segment.NewCache(segment.Heap(), 64<<20)
		mc := newContext(t, &o)
		var kept [100]unsafe.Pointer
		p := mustAlloc(t, mc, 100)
		for name, f := range map[string]func(){
			"Alloc and Free":   func() { mc.Free(mustAlloc(t, mc, 64)) },
			"large blocks":     func() { mc.Free(mustAlloc(t, mc, 20_000)) },
			"whole segments":   func() { mc.Free(mustAlloc(t, mc, 2<<20)) },
			"aligned":          func() { mc.Free(mustAligned(t, mc, 100, 256)) },
			"in place Realloc": func() { p = mustRealloc(t, mc, mustRealloc(t, mc, p, 90), 100) },
			"moving Realloc":   func() { mc.Free(mustRealloc(t, mc, mustAlloc(t, mc, 10), 30_000)) },
			"Stats":            func() { mc.Stats() },
			"batches": func() {
				for i := range kept {
					kept[i] = mustAlloc(t, mc, 10*i)
				}
				for i := range kept {
					mc.Free(kept[i])
				}
			},
		} {
			f() // the first call may take segments
			want := 0.0
			if isChecked(o) && name == "whole segments" {
				want = 2 // the two maps of the segment
			}
			if n := testing.AllocsPerRun(50, f); n != want {
				t.Errorf("%s: %v objects on the Go heap", name, n)
			}
		}
		reset := func() {
			mustAlloc(t, mc, 64)
			if err := mc.Reset(); err != nil {
				t.Fatal(err)
			}
		}
		reset()
		if n := testing.AllocsPerRun(50, reset); n != 0 {
			t.Errorf("Reset: %v objects on the Go heap", n)
		}
	})
}

// TestBrokenGuardIsReportedOnce closes and resets a context with a broken guard:
// the first call is a fault that leaves the block to be looked at, the second
// one gives the memory back.
func TestBrokenGuardIsReportedOnce(t *testing.T) {
	for op, call := range map[string]func(*memctx.Context) error{
		"Close": (*memctx.Context).Close, "Reset": (*memctx.Context).Reset,
	} {
		for next, again := range map[string]func(*memctx.Context) error{
			"Close": (*memctx.Context).Close, "Reset": (*memctx.Context).Reset,
		} {
			counter := segment.Counting(segment.Heap())
			mc, err := memctx.New(&memctx.Options{Guard: true, Provider: counter, Retain: 1})
			if err != nil {
				t.Fatal(err)
			}
			for range 100 {
				mustAlloc(t, mc, 5000)
			}
			p := mustAlloc(t, mc, 10)
			wreck(p, 10, 0)
			f := mustFault(t, mc, diag.GuardAfter, op, func() { call(mc) })
			if f.Addr != uintptr(p) || mc.Stats().Blocks != 101 || mc.UsableSize(mustAlloc(t, mc, 7)) != 7 {
				t.Errorf("after the fault of %s: %v, %+v", op, f, mc.Stats())
			}
			if err := again(mc); err != nil || counter.Bytes() != 0 {
				t.Errorf("%s after the fault of %s: %v, %d bytes are held", next, op, err, counter.Bytes())
			}
			if next == "Reset" { // and all begins anew
				wreck(mustAlloc(t, mc, 10), -1, 0)
				mustFault(t, mc, diag.GuardBefore, "Close", func() { mc.Close() })
			}
			if err := mc.Close(); err != nil || counter.Bytes() != 0 {
				t.Errorf("Close: %v, %d bytes are held", err, counter.Bytes())
			}
		}
	}
}

// TestScopeKeepsThePanic leaves a broken guard behind, with a panic and without,
// from within a call of the context too.
func TestScopeKeepsThePanic(t *testing.T) {
	own := errors.New("the body's own")
	for name, c := range map[string]struct {
		body func(*memctx.Context) error
		is   error
	}{
		"panic":        {func(*memctx.Context) error { panic(own) }, own},
		"inner panic":  {func(mc *memctx.Context) error { mc.Alloc(1 << 20); return nil }, own},
		"return":       {func(*memctx.Context) error { return nil }, diag.GuardAfter},
		"error":        {func(*memctx.Context) error { return own }, diag.GuardAfter},
		"double fault": {func(mc *memctx.Context) error { mc.Reset(); return nil }, diag.GuardAfter},
	} {
		t.Run(name, func(t *testing.T) {
			up := &panicking{Counter: segment.Counting(segment.Heap()), above: 1 << 20, value: own}
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, c.is) {
					t.Errorf("the panic is %v, want %v", err, c.is)
				}
				if up.Bytes() != 0 {
					t.Errorf("%d bytes were not given back", up.Bytes())
				}
			}()
			memctx.Scope(&memctx.Options{Guard: true, Provider: up}, func(mc *memctx.Context) error {
				wreck(mustAlloc(t, mc, 10), 10, 0)
				return c.body(mc)
			})
		})
	}
}

// panicking is a provider that panics when it is asked for too much.
type panicking struct {
	*segment.Counter
	above int
	value error
}

func (p *panicking) Acquire(min, max int) (segment.Segment, error) {
	if min > p.above {
		panic(p.value)
	}
	return p.Counter.Acquire(min, max)
}
