package memctx_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
)

// providers are all sources, and decorators over them. make returns a fresh one
// and what is known to be beneath it.
var providers = []struct {
	name   string
	make   func() segment.Provider
	scarce bool // 4 MiB in one piece is all there is
}{
	{"os", segment.OS, false},
	{"heap", segment.Heap, false},
	{"fixed", func() segment.Provider { return segment.Fixed(make([]byte, 4<<20)) }, true},
	{"cache over heap", func() segment.Provider { return segment.NewCache(segment.Heap(), 8<<20) }, false},
	{"cache over os", func() segment.Provider { return segment.NewCache(segment.OS(), 8<<20) }, false},
	{"counting", func() segment.Provider { return segment.Counting(segment.Heap()) }, false},
	{"reserving", segtest.Reserving, false},
	{"cache over reserving", func() segment.Provider { return segment.NewCache(segtest.Reserving(), 8<<20) }, false},
	{"dirty", func() segment.Provider { return segtest.Dirty(segment.Heap()) }, false},
	{"restless", func() segment.Provider { return segtest.NewRestless(segment.Heap(), 64) }, false},
	{"cache over restless", func() segment.Provider {
		return segment.NewCache(segtest.NewRestless(segment.Heap(), 64<<10), 8<<20)
	}, false},
	{"budget over restless", func() segment.Provider {
		return segment.NewBudget("b", segtest.NewRestless(segment.Heap(), 4<<10), 64<<20)
	}, false},
	{"rigid", func() segment.Provider { return segtest.Rigid(segment.OS()) }, false},
	{"stingy", func() segment.Provider { return segtest.Stingy(segment.Heap()) }, false},
	{"generous", func() segment.Provider { return segtest.Generous(segment.Heap(), 12_344) }, false},
	{"pages of 64 KiB", func() segment.Provider { return segtest.Paged(segment.Heap(), 64<<10) }, false},
}

// TestConform runs one suite over every provider with every kind of tree in
// every mode.
func TestConform(t *testing.T) {
	seed := segtest.Seed(t)
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
				o.Provider = p.make()
				conform{o}.run(t)
				runModel(t, model.Config{Options: o, Scarce: p.scarce, Every: 100, MaxBytes: 4 << 20}, seed, 1000)
			})
		})
	}
}

// conform is the part of the suite that is not random. All that it needs fits
// into 16 KiB, the first segment that a context takes.
type conform struct{ options memctx.Options }

func (c conform) run(t *testing.T) {
	for name, f := range map[string]func(*testing.T, *memctx.Context){
		"zero bytes": c.zeroBytes, "bytes": c.bytes, "usable": c.usable, "blocks": c.blocks,
		"in place": c.inPlace, "reset": c.reset, "contains": c.contains,
	} {
		mc := newContext(t, &c.options)
		f(t, mc)
		mustCheck(t, mc)
		if err := mc.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if t.Failed() {
			t.Fatalf("in %q", name)
		}
	}
}

// exact reports whether blocks remember what was asked for.
func (c conform) exact() bool { return isExact(c.options) }

// zeroBytes requires that blocks without bytes are blocks.
func (c conform) zeroBytes(t *testing.T, mc *memctx.Context) {
	seen := map[unsafe.Pointer]bool{}
	for i := range 50 {
		p := mustAlloc(t, mc, 0)
		if i%2 == 1 {
			p = mustRealloc(t, mc, p, 0)
		}
		if p == nil || seen[p] {
			t.Fatalf("block of no bytes at %p", p)
		}
		seen[p] = true
	}
	for p := range seen {
		mc.Free(p)
	}
	if n := mc.Stats().Blocks; n != 0 {
		t.Errorf("%d blocks leaked", n)
	}
}

func (c conform) bytes(t *testing.T, mc *memctx.Context) {
	const text = "a slice of the context's memory"
	clone, err := mc.CloneBytes([]byte(text))
	if err != nil || string(clone) != text || cap(clone) != len(text) {
		t.Fatalf("CloneBytes = %q, %v", clone, err)
	}
	b, err := mc.Bytes(100)
	if err != nil || len(b) != 100 || cap(b) != 100 || !all(unsafe.Pointer(&b[0]), 100, 0) {
		t.Fatalf("Bytes = %v, %v", b, err)
	}
	mc.FreeBytes(b[:3])
	mc.FreeBytes(clone)
	empty, err := mc.Bytes(0)
	if err != nil || empty == nil || len(empty) != 0 || mc.Stats().Blocks != 1 {
		t.Fatalf("Bytes(0) = %v, %v", empty, err)
	}
	mc.FreeBytes(empty)
	if n := mc.Stats().Blocks; n != 0 {
		t.Errorf("%d blocks leaked", n)
	}
}

func (c conform) usable(t *testing.T, mc *memctx.Context) {
	for n := range 600 {
		p := mustAlloc(t, mc, n)
		usable := mc.UsableSize(p)
		if usable < n || c.exact() && usable != n || usable > n+n/8+3*chunk.Align {
			t.Fatalf("usable are %d of %d bytes", usable, n)
		}
		fill(p, usable, 0xFF)
		mc.FreeSized(p, n, 0)
	}
}

func (c conform) blocks(t *testing.T, mc *memctx.Context) {
	want := map[uintptr]int{}
	for n := range 40 {
		want[uintptr(mustAlloc(t, mc, 2*n))] = 2 * n
		want[uintptr(mustAligned(t, mc, n, 64))] = n
	}
	freed := mustAlloc(t, mc, 50)
	mc.Free(freed)
	for b := range mc.Blocks() {
		n, found := want[b.Addr]
		if !found || b.Size < n || b.Exact && b.Size != n || c.exact() && !b.Exact {
			t.Errorf("%+v, want %d bytes", b, n)
		}
		delete(want, b.Addr)
	}
	if len(want) != 0 {
		t.Errorf("not listed: %v", want)
	}
}

// inPlace resizes a block without moving it: smaller first, which makes room
// behind it.
func (c conform) inPlace(t *testing.T, mc *memctx.Context) {
	p := mustAlloc(t, mc, 6000)
	fill(p, 6000, 0x3C)
	for _, n := range []int{2500, 4000, 5000, 2000, 1000, 100} {
		if !mc.TryResize(p, n) {
			t.Fatalf("TryResize to %d = false", n)
		}
		if usable := mc.UsableSize(p); usable < n || c.exact() && usable != n {
			t.Fatalf("usable are %d of %d bytes", usable, n)
		}
		if !all(p, 100, 0x3C) {
			t.Fatal("contents are lost")
		}
		mustCheck(t, mc)
	}
	mustAlloc(t, mc, 100)
	if mc.TryResize(p, 12_000) {
		t.Error("TryResize grew over a neighbour")
	}
	mc.Free(p)
}

func (c conform) reset(t *testing.T, mc *memctx.Context) {
	for range 3 {
		for n := range 50 {
			mustAlloc(t, mc, n)
		}
		if err := mc.Reset(); err != nil {
			t.Fatal(err)
		}
		s := mc.Stats()
		if s.Blocks != 0 || s.InUse != 0 || s.Cached != 0 || s.Allocs != s.Frees {
			t.Fatalf("after Reset: %+v", s)
		}
		mustCheck(t, mc)
	}
}

func (c conform) contains(t *testing.T, mc *memctx.Context) {
	p := mustAlloc(t, mc, 100)
	outside := new([100]byte)
	if !mc.Contains(p) || !mc.Contains(unsafe.Add(p, 99)) || mc.Contains(unsafe.Pointer(outside)) || mc.Contains(nil) {
		t.Error("Contains is wrong")
	}
	mc.Free(p)
}

// TestScope closes the context whatever happens in it.
func TestScope(t *testing.T) {
	counter := segment.Counting(segment.Heap())
	o := &memctx.Options{Provider: counter}
	own := errors.New("the function's own")
	err := memctx.Scope(o, func(mc *memctx.Context) error {
		mustAlloc(t, mc, 10_000)
		return own
	})
	if !errors.Is(err, own) || counter.Bytes() != 0 {
		t.Errorf("Scope = %v, %d bytes held", err, counter.Bytes())
	}
	func() {
		defer func() {
			if r := recover(); fmt.Sprint(r) != "its own panic" {
				t.Errorf("recovered %v", r)
			}
		}()
		memctx.Scope(o, func(mc *memctx.Context) error {
			mustAlloc(t, mc, 10_000)
			panic("its own panic")
		})
	}()
	if counter.Bytes() != 0 || counter.Acquires() != 2 {
		t.Errorf("after a panic %d bytes are held", counter.Bytes())
	}
	if memctx.Scope(&memctx.Options{Limit: -1}, nil) == nil {
		t.Error("invalid options were accepted")
	}
	stuck := segment.FailingFrom(segment.Heap(), 2)
	err = memctx.Scope(&memctx.Options{Provider: stuck}, func(mc *memctx.Context) error {
		mustAlloc(t, mc, 1)
		return nil
	})
	mustFail(t, err, memctx.ErrNoMemory, "Close")
}

// TestNewTakesNothing makes contexts that never touch their provider.
func TestNewTakesNothing(t *testing.T) {
	mc, counter := newCounted(t, memctx.Options{})
	if err := errors.Join(mc.Trim(), mc.Reset(), mc.Check(), mc.Close()); err != nil || counter.Calls() != 0 {
		t.Errorf("%v, %d calls", err, counter.Calls())
	}
	copied := memctx.Options{Name: "before", Provider: segment.Null()}
	mc = newContext(t, &copied)
	copied.Name = "after"
	if mc.Name() != "before" || mc.Limit() != memctx.NoLimit {
		t.Errorf("name %q, limit %d", mc.Name(), mc.Limit())
	}
	_, err := mc.Alloc(1)
	mustFail(t, err, memctx.ErrNoMemory, "Alloc")
}
