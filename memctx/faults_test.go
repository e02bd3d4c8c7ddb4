package memctx_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// faultScript are operations that need the provider for many things: segments
// of all sizes, commits, discards, releases.
var faultScript = func() (script []model.Op) {
	kinds := []model.Kind{
		model.Alloc, model.Alloc, model.AllocZeroed, model.AllocAligned, model.Realloc, model.TryResize,
		model.Free, model.Free, model.Free, model.Trim, model.Bytes,
	}
	sizes := []int{0, 100, 3000, 9000, 30_000, 70_000, 200_000}
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 100 {
		op := model.Op{Kind: kinds[r.IntN(len(kinds))], Index: uint16(r.Uint32()), N: sizes[r.IntN(len(sizes))], Arg: byte(r.Uint32())}
		if i%40 == 39 {
			op.Kind = model.Reset
		}
		script = append(script, op)
	}
	return script
}()

// stack is a provider for tests of failures: where they are injected, and what
// the context stands on then.
type stack struct {
	name   string
	source func() segment.Provider
	cached bool // a cache stands between the failures and the context
}

var stacks = []stack{
	{"os", segment.OS, false},
	{"heap", segment.Heap, false},
	{"reserving", segtest.Reserving, false},
	{"paged", func() segment.Provider { return segtest.Paged(segment.Heap(), 16<<10) }, false},
	{"restless", func() segment.Provider { return segtest.NewRestless(segment.Heap(), 64) }, false},
	{"cache over heap", segment.Heap, true},
	{"cache over restless", func() segment.Provider { return segtest.NewRestless(segment.Heap(), 4<<10) }, true},
	{"cache over reserving", segtest.Reserving, true},
}

// eachStack runs f for each stack and mode, with the kinds of trees in turns.
func eachStack(t *testing.T, f func(t *testing.T, s stack, o memctx.Options)) {
	kinds, i := tree.Kinds(), 0
	for _, s := range stacks {
		for _, mode := range modes {
			o := mode.options
			o.Tree = kinds[i%len(kinds)]
			o.Retain = 128 << 10
			i++
			t.Run(s.name+"/"+mode.name, func(t *testing.T) { f(t, s, o) })
		}
	}
}

// TestFailTheNthCall fails the first call to the provider, then the second, and
// so on until nothing fails any more. Each time the heap must be sound afterwards
// and everything be given back. Where the processor is slow, it is every fifth.
func TestFailTheNthCall(t *testing.T) {
	step := 1
	if slow {
		step = 5
	}
	first := 0 // differs from stack to stack
	eachStack(t, func(t *testing.T, s stack, o memctx.Options) {
		nth := 1 + first%step
		first++
		for ; ; nth += step {
			counter := segment.Counting(s.source())
			failer := segment.Failing(counter, nth)
			runScript(t, s, o, failer, nth)
			if counter.Bytes() != 0 {
				t.Fatalf("call %d failed: %d bytes were not given back", nth, counter.Bytes())
			}
			if !failer.Failed() {
				break
			}
		}
		if nth < 15 {
			t.Errorf("the script makes %d calls only", nth)
		}
	})
}

// TestFailFromTheNthCallOn lets everything fail from some call on, until the
// provider heals after the script.
func TestFailFromTheNthCallOn(t *testing.T) {
	eachStack(t, func(t *testing.T, s stack, o memctx.Options) {
		for nth := 1; ; nth += 3 {
			counter := segment.Counting(s.source())
			failer := segment.FailingFrom(counter, nth)
			runScript(t, s, o, failer, nth)
			if counter.Bytes() != 0 {
				t.Fatalf("from call %d on all failed: %d bytes were not given back", nth, counter.Bytes())
			}
			if !failer.Failed() {
				break
			}
		}
	})
}

// runScript applies the script over a failing provider and closes the context.
// The provider is healed when Close meets a failure.
func runScript(t *testing.T, s stack, o memctx.Options, failer *segment.Failer, nth int) {
	t.Helper()
	o.Provider = failer
	cache := segment.NewCache(failer, 8<<20)
	if s.cached {
		o.Provider = cache
	}
	m, err := model.New(model.Config{Options: o, Scarce: true, Heal: failer.Heal})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range faultScript {
		if err := m.Apply(op); err != nil {
			t.Fatal(failed(nth, err))
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(failed(nth, err))
	}
	if err := cache.Check(); err != nil {
		t.Fatal(failed(nth, err))
	}
	cache.Drain() // may be the first to meet the failure
	failer.Heal()
	if err := cache.Drain(); err != nil {
		t.Fatal(failed(nth, err))
	}
}

func failed(nth int, err error) error { return fmt.Errorf("failure %d: %w", nth, err) }

// TestCommitFailsBesideCachedMemory needs memory that is there, but in pieces
// that wait in quick lists, while nothing more can be committed.
func TestCommitFailsBesideCachedMemory(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		script := func(mc *memctx.Context) {
			var blocks []unsafe.Pointer
			for s := mc.Stats(); len(blocks) < 8000 || s.Reserve < 128<<10 || s.Top > 30_000; s = mc.Stats() {
				blocks = append(blocks, mustAlloc(t, mc, 1000))
			}
			for _, p := range blocks[4000:4400] {
				mc.Free(p)
			}
		}
		// Count the calls first, then let all that follow fail.
		counter := segment.Counting(segtest.Reserving())
		o.Provider = counter
		script(newContext(t, &o))
		failer := segment.FailingFrom(segtest.Reserving(), counter.Calls()+1)
		o.Provider = failer
		mc := newContext(t, &o)
		script(mc)
		p, err := mc.Alloc(60_000)
		failer.Heal()
		if err != nil {
			t.Fatal(err)
		}
		fill(p, 60_000, 1)
	})
}
