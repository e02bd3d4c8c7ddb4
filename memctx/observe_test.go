package memctx_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// recorder keeps the events it is told, and calls also for each.
type recorder struct {
	events []diag.Event
	also   func(diag.Event)
}

func (r *recorder) Observe(e diag.Event) {
	r.events = append(r.events, e)
	if r.also != nil {
		r.also(e)
	}
}

// take returns the events since it was last called.
func (r *recorder) take() []diag.Event {
	events := r.events
	r.events = nil
	return events
}

// text returns the events since it was last called as kinds and calls.
func (r *recorder) text() string {
	var words []string
	for _, e := range r.take() {
		words = append(words, strings.TrimSpace(e.Kind.String()+" "+e.Op))
	}
	return strings.Join(words, ", ")
}

// TestEventsOfCalls makes each call once and reads what the observer heard.
func TestEventsOfCalls(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		r := &recorder{}
		o.Observer, o.Name, o.Retain = r, "observed", 1
		mc, _ := newCounted(t, o)
		var p, a unsafe.Pointer
		var b, clone []byte
		for _, c := range []struct {
			do   func()
			want string
		}{
			{func() { p = mustAlloc(t, mc, 100) }, "acquire, alloc Alloc"},
			{func() { a = mustAligned(t, mc, 100, 64) }, "alloc AllocAligned"},
			{func() { b, _ = mc.Bytes(50) }, "alloc Bytes"},
			{func() { clone, _ = mc.CloneBytes([]byte("text")) }, "alloc CloneBytes"},
			{func() { mc.TryResize(p, 90) }, "realloc TryResize"},
			{func() { p = mustRealloc(t, mc, p, 2000) }, "realloc Realloc"},
			{func() { mc.Realloc(nil, 1) }, "alloc Realloc"},
			{func() { mc.AllocZeroed(2, 8) }, "alloc AllocZeroed"},
			{func() { mc.UsableSize(p); mc.Contains(p); mc.Stats(); mc.Check() }, ""},
			{func() { mc.Free(p); mc.Free(nil) }, "free Free"},
			{func() { mc.FreeSized(a, 100, 64) }, "free FreeSized"},
			{func() { mc.FreeBytes(b); mc.FreeBytes(clone) }, "free FreeBytes, free FreeBytes"},
			{func() { mc.Alloc(-1) }, "error Alloc"},
			{func() { mc.Bytes(-1) }, "error Bytes"},
			{func() { mc.AllocAligned(1, 3) }, "error AllocAligned"},
			{func() { mc.Reset() }, "release, reset Reset"},
			{func() { mc.Close() }, "close Close"},
			{func() { mc.Close() }, ""},
			{func() { mc.Alloc(1) }, "error Alloc"},
		} {
			c.do()
			if got := r.text(); got != c.want {
				t.Errorf("the events are %q, want %q", got, c.want)
			}
		}
	})
}

// TestEventFields compares what events tell with what the caller knows.
func TestEventFields(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		r := &recorder{}
		o.Observer, o.Name = r, "fields"
		mc, _ := newCounted(t, o)
		exact := isExact(o)
		p := mustAligned(t, mc, 1000, 128)
		e := r.take()[1]
		if e.Addr != uintptr(p) || e.N != 1000 || e.Align != 128 || e.Size < 1000 || e.Context != "fields" || e.Old != 0 || e.Err != nil {
			t.Errorf("%+v", e)
		}
		moved := mustRealloc(t, mc, p, 5000)
		e = r.take()[0]
		if e.Addr != uintptr(moved) || e.Old != uintptr(p) || e.N != 5000 || e.Align != 128 || e.Size < 5000 {
			t.Errorf("%+v", e)
		}
		mc.Free(moved)
		e = r.take()[0]
		if e.Addr != uintptr(moved) || e.N != 5000 || e.Align != 128 {
			t.Errorf("%+v", e)
		}
		q := mustAlloc(t, mc, 100)
		mc.Free(q)
		es := r.take()
		if es[0].N != 100 || es[1].Addr != uintptr(q) || es[1].N < 100 || exact && es[1].N != 100 || es[0].Size != es[1].Size {
			t.Errorf("%+v", es)
		}
		mustAlloc(t, mc, 1)
		r.take()
		mc.SetLimit(0)
		_, err := mc.Alloc(1 << 20)
		mustFail(t, err, memctx.ErrLimit, "Alloc")
		if e = r.take()[0]; !errors.Is(e.Err, memctx.ErrLimit) || e.N != 1<<20 || e.Context != "fields" {
			t.Errorf("%+v", e)
		}
		f := mustFault(t, mc, diag.Misaligned, "Free", func() { mc.Free(unsafe.Add(mustAlloc(t, mc, 16), 1)) })
		if es = r.take(); es[1].Err != error(f) || es[1].Op != "Free" || es[1].Addr != f.Addr {
			t.Errorf("%+v", es)
		}
	})
}

// TestSegmentEventsAddUp keeps the footprint from events alone, through Trim with
// a provider that shrinks segments.
func TestSegmentEventsAddUp(t *testing.T) {
	for _, provider := range []segment.Provider{segment.Heap(), segment.NewCache(segment.OS(), 1<<20), segment.OS()} {
		footprint := 0
		r := &recorder{also: func(e diag.Event) {
			switch e.Kind {
			case diag.EventAcquire:
				footprint += e.Size
			case diag.EventRelease:
				footprint -= e.Size
			}
		}}
		mc := newContext(t, &memctx.Options{Observer: r, Provider: provider})
		var blocks []unsafe.Pointer
		for i := range 300 {
			blocks = append(blocks, mustAlloc(t, mc, 100*i))
			if i%3 == 2 {
				mc.Free(blocks[i/3])
			}
			if i%50 == 49 {
				if err := mc.Trim(); err != nil {
					t.Fatal(err)
				}
			}
			if footprint != mc.Footprint() {
				t.Fatalf("%d bytes by events, the footprint is %d", footprint, mc.Footprint())
			}
		}
		if err := errors.Join(mc.Reset(), mc.Close()); err != nil || footprint != 0 {
			t.Errorf("%v, %d bytes by events after Close", err, footprint)
		}
	}
}

// observedCalls cause at least one event each.
var observedCalls = map[string]func(mc *memctx.Context, p unsafe.Pointer){
	"Alloc":     func(mc *memctx.Context, p unsafe.Pointer) { mc.Alloc(1) },
	"refused":   func(mc *memctx.Context, p unsafe.Pointer) { mc.Alloc(-1) },
	"bad align": func(mc *memctx.Context, p unsafe.Pointer) { mc.AllocAligned(1, 3) },
	"Realloc":   func(mc *memctx.Context, p unsafe.Pointer) { mc.Realloc(p, 5000) },
	"TryResize": func(mc *memctx.Context, p unsafe.Pointer) { mc.TryResize(p, 1) },
	"Free":      func(mc *memctx.Context, p unsafe.Pointer) { mc.Free(p) },
	"Reset":     func(mc *memctx.Context, p unsafe.Pointer) { mc.Reset() },
	"Close":     func(mc *memctx.Context, p unsafe.Pointer) { mc.Close() },
	"misuse":    func(mc *memctx.Context, p unsafe.Pointer) { mc.Free(unsafe.Add(p, 1)) },
}

// TestObserverCallsBack lets the observer call the context that it is told of:
// whatever either call is, the second is a fault, and the heap is sound.
func TestObserverCallsBack(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for outer, cause := range observedCalls {
			for inner, call := range observedCalls {
				r := &recorder{}
				o.Observer, o.Name = r, "called back"
				mc, _ := newCounted(t, o)
				p := mustAlloc(t, mc, 100)
				r.also = func(diag.Event) { call(mc, p) }
				mustFaultAs(t, diag.Concurrent, outer+" within "+inner, func() { cause(mc, p) })
				if r.also = nil; outer != "Close" {
					mustCheck(t, mc)
				}
			}
		}
	})
}

func mustFaultAs(t *testing.T, kind diag.Kind, what string, f func()) {
	t.Helper()
	if fault := faultOf(f); fault == nil || fault.Kind != kind {
		t.Errorf("%s: the fault is %v, want %v", what, fault, kind)
	}
}

// TestObserverRecovers calls back, swallows the fault, and is told the rest.
func TestObserverRecovers(t *testing.T) {
	r := &recorder{}
	mc, _ := newCounted(t, memctx.Options{Observer: r})
	faults := 0
	r.also = func(diag.Event) {
		if f := faultOf(func() { mc.Alloc(1) }); f != nil && f.Kind == diag.Concurrent {
			faults++
		}
	}
	mustAlloc(t, mc, 1)
	if len(r.events) != 2 || faults != 2 {
		t.Errorf("%d events, %d faults, want 2 and 2", len(r.events), faults)
	}
	r.also = nil
	if n := mc.Stats().Blocks; n != 1 {
		t.Errorf("%d blocks", n)
	}
	mustCheck(t, mc)
}

// TestObserverPanics lets the observer panic at each event of each call.
func TestObserverPanics(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for name, call := range observedCalls {
			r := &recorder{}
			o.Observer = r
			mc, _ := newCounted(t, o)
			p := mustAlloc(t, mc, 100)
			r.also = func(diag.Event) { panic("the observer's own") }
			func() {
				defer func() {
					if fmt.Sprint(recover()) != "the observer's own" {
						t.Errorf("%s: the observer did not panic", name)
					}
				}()
				call(mc, p)
			}()
			r.also = nil
			r.take()
			if name == "Close" {
				continue
			}
			mustCheck(t, mc)
			mustAlloc(t, mc, 100)
			if got := r.text(); !strings.HasSuffix(got, "alloc Alloc") || strings.Contains(got, ",") && name != "Reset" {
				t.Errorf("after a panic in %s the events are %q", name, got)
			}
		}
	})
}

// counting is an observer that allocates nothing.
type countingObserver struct{ events, bytes int }

func (c *countingObserver) Observe(e diag.Event) { c.events++; c.bytes += e.N }

// TestObservingAllocatesNothing counts allocations of Go memory per event.
func TestObservingAllocatesNothing(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		c := &countingObserver{}
		o.Observer = c
		mc, _ := newCounted(t, o)
		mustAlloc(t, mc, 100)
		perRun := testing.AllocsPerRun(1000, func() {
			p, _ := mc.Alloc(100)
			p, _ = mc.Realloc(p, 50)
			mc.Free(p)
		})
		if perRun != 0 || c.events != 2+3*1001 {
			t.Errorf("%v allocations per run, %d events", perRun, c.events)
		}
	})
}

// TestSlogObserver reads the log of a few calls.
func TestSlogObserver(t *testing.T) {
	var log bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if slices.Contains([]string{"time", "addr"}, a.Key) {
			return slog.Attr{}
		}
		return a
	}}
	mc, _ := newCounted(t, memctx.Options{Name: "tenant", ExactSize: true,
		Observer: diag.Slog(slog.New(slog.NewTextHandler(&log, options)))})
	mc.Free(mustAlloc(t, mc, 10))
	mc.Alloc(-1)
	for _, want := range []string{
		`level=INFO msg="memctx acquire" context=tenant size=16384`,
		`level=DEBUG msg="memctx alloc" context=tenant op=Alloc n=10 align=`,
		`level=DEBUG msg="memctx free" context=tenant op=Free n=10 align=`,
		`level=ERROR msg="memctx error" context=tenant op=Alloc err="memctx: Alloc of -1 bytes in context \"tenant\": size out of range"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
}
