package memctx_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// eachChecked runs f in each mode that looks for misuse as far as it can.
func eachChecked(t *testing.T, f func(t *testing.T, o memctx.Options)) {
	for _, mode := range modes {
		if isChecked(mode.options) {
			t.Run(mode.name, func(t *testing.T) { f(t, mode.options) })
		}
	}
}

// pointerCalls pass a pointer that may be anything.
var pointerCalls = []struct {
	op   string
	call func(mc *memctx.Context, p unsafe.Pointer)
}{
	{"Free", func(mc *memctx.Context, p unsafe.Pointer) { mc.Free(p) }},
	{"FreeSized", func(mc *memctx.Context, p unsafe.Pointer) { mc.FreeSized(p, 1, 0) }},
	{"FreeMany", func(mc *memctx.Context, p unsafe.Pointer) { mc.FreeMany([]unsafe.Pointer{nil, p}) }},
	{"Realloc", func(mc *memctx.Context, p unsafe.Pointer) { mc.Realloc(p, 100) }},
	{"TryResize", func(mc *memctx.Context, p unsafe.Pointer) { mc.TryResize(p, 100) }},
	{"UsableSize", func(mc *memctx.Context, p unsafe.Pointer) { mc.UsableSize(p) }},
}

// TestCase17_CheckedPointers passes every kind of wrong pointer to every call.
// None may be read.
func TestCase17_CheckedPointers(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		o.Name, o.Provider = "checked", segment.OS()
		mc := newContext(t, &o)
		p := mustAlloc(t, mc, 1000)
		unmapped, err := segment.OS().Acquire(1<<20, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if err := segment.OS().Release(unmapped); err != nil {
			t.Fatal(err)
		}
		other := mustAlloc(t, newContext(t, &o), 100)
		plain := mustAlloc(t, newContext(t, nil), 100)
		at := func(a uintptr) unsafe.Pointer { return memctx.Addr(a).Pointer() }
		end := uintptr(p) &^ 4095
		for mc.Contains(at(end)) {
			end += 4096
		}
		for _, c := range []struct {
			name string
			p    unsafe.Pointer
			kind diag.Kind
			in   bool // inside the block p
		}{
			{"one unit in", unsafe.Add(p, chunk.Align), diag.Interior, true},
			{"far in", unsafe.Add(p, 992), diag.Interior, true},
			{"one byte in", unsafe.Add(p, 1), diag.Misaligned, true},
			{"end of the segment", at(end - chunk.Align), diag.Interior, false},
			{"behind the segment", at(end), diag.Foreign, false},
			{"checked context's", other, diag.Foreign, false},
			{"plain context's", plain, diag.Foreign, false},
			{"Go heap's", unsafe.Pointer(new([64]uint64)), diag.Foreign, false},
			{"address 1", at(1), diag.Misaligned, false},
			{"address 16", at(16), diag.Foreign, false},
			{"junk", at(0xdeadbeef), diag.Misaligned, false},
			{"aligned junk", at(0xdead0000), diag.Foreign, false},
			{"last address", at(^uintptr(0) &^ (chunk.Align - 1)), diag.Foreign, false},
			{"unmapped", unmapped.Base, diag.Foreign, false},
		} {
			for _, call := range pointerCalls {
				f := mustFault(t, mc, c.kind, call.op, func() { call.call(mc, c.p) })
				if f.Addr != uintptr(c.p) || (f.Block.Addr == uintptr(p)) != c.in {
					t.Errorf("%s of %s: %+v", call.op, c.name, f)
				}
				if c.in && !strings.Contains(f.Hint, fmt.Sprintf("%d bytes behind the start", uintptr(c.p)-uintptr(p))) {
					t.Errorf("%s of %s: %s", call.op, c.name, f.Hint)
				}
				if c.in && o.Stacks && !strings.Contains(f.Error(), "TestCase17_CheckedPointers") {
					t.Errorf("%s of %s does not tell where the block was allocated:\n%v", call.op, c.name, f)
				}
			}
		}
		mustCheck(t, mc)
		mc.Free(p)
	})
}

// freedAt allocates and frees a block here, so that faults can name it.
func freedAt(t *testing.T, mc *memctx.Context, n int) unsafe.Pointer {
	p := mustAlloc(t, mc, n)
	mc.Free(p)
	return p
}

// TestCase17_CheckedDoubleFree frees blocks again at every stage of what becomes
// of them: waiting, coalesced, in a segment given back.
func TestCase17_CheckedDoubleFree(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		o.Retain = 1
		mc, counter := newCounted(t, o)
		mustAlloc(t, mc, 1)
		again := func(p unsafe.Pointer, kind diag.Kind) {
			t.Helper()
			for _, call := range pointerCalls {
				f := mustFault(t, mc, kind, call.op, func() { call.call(mc, p) })
				if kind == diag.DoubleFree && o.Stacks && f.Freed != nil && !strings.Contains(f.Error(), "\nfreed at\n\tgithub.com/cookmem-go/cookmem/memctx_test.freedAt") {
					t.Errorf("%s does not tell where the block was freed:\n%v", call.op, f)
				}
			}
		}
		for _, n := range []int{0, 100, 5000, 300_000, 3 << 20} {
			p := freedAt(t, mc, n)
			again(p, diag.DoubleFree)
			if err := mc.Trim(); err != nil {
				t.Fatal(err)
			}
			again(p, diag.DoubleFree)
			mustCheck(t, mc)
		}
		if counter.Releases() == 0 {
			t.Error("no segment went back")
		}
		p := mustAlloc(t, mc, 5000)
		inner := unsafe.Add(p, 3*chunk.Align)
		again(inner, diag.Interior)
		mc.Free(p)
	})
}

// TestDroppedByReset frees blocks that a Reset has dropped, in a segment that the
// context has kept.
func TestDroppedByReset(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		p := mustAlloc(t, mc, 100)
		if err := mc.Reset(); err != nil {
			t.Fatal(err)
		}
		f := mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(p) })
		if !mc.Contains(p) || !strings.Contains(f.Hint, "dropped by Reset") {
			t.Errorf("%v", f)
		}
	})
}

// TestHandedOutAgain requires that a place where a block was freed is a block's
// inside, once it is one.
func TestHandedOutAgain(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		mustAlloc(t, mc, 1)
		a, b := mustAlloc(t, mc, 100), mustAlloc(t, mc, 100)
		mustAlloc(t, mc, 1)
		mc.Free(a)
		mc.Free(b)
		if err := mc.Trim(); err != nil {
			t.Fatal(err)
		}
		mustFault(t, mc, diag.DoubleFree, "Free", func() { mc.Free(b) })
		both := mustAlloc(t, mc, int(uintptr(b)-uintptr(a))+64)
		if both != a {
			t.Fatalf("the block is at %p, not at %p", both, a)
		}
		mustFault(t, mc, diag.Interior, "Free", func() { mc.Free(b) })
		if !mc.TryResize(both, 16) {
			t.Fatal("TryResize failed")
		}
		mustFault(t, mc, diag.Interior, "Free", func() { mc.Free(b) })
		mustCheck(t, mc)
	})
}

// TestFills reads what blocks hold before and after their life.
func TestFills(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for _, n := range []int{1, 100, 5000, 300_000} {
			p := mustAlloc(t, mc, n)
			a := mustAligned(t, mc, n, 64)
			z, err := mc.AllocZeroed(n, 1)
			if err != nil || !all(p, n, diag.FillAlloc) || !all(a, n, diag.FillAlloc) || !all(z, n, 0) {
				t.Fatalf("%v, % x, % x, % x", err, bytesAt(p, 1), bytesAt(a, 1), bytesAt(z, 1))
			}
			fill(p, n, 7)
			p = mustRealloc(t, mc, p, 2*n)
			if !all(p, n, 7) || !all(unsafe.Add(p, n), n, diag.FillAlloc) {
				t.Errorf("%d bytes grown: % x", n, bytesAt(p, 2*n))
			}
			moved := mustRealloc(t, mc, z, 8*n)
			if !all(moved, n, 0) || !all(unsafe.Add(moved, n), 7*n, diag.FillAlloc) {
				t.Errorf("%d bytes moved", n)
			}
			if n < 100_000 { // larger ones do not wait
				if mc.Free(a); !all(a, n, diag.FillFree) {
					t.Errorf("freed: % x", bytesAt(a, n))
				}
			}
		}
	})
}

// TestUseAfterFree writes to freed blocks, at their start, in them, behind them,
// and lets each way find out that looks at what waits.
func TestUseAfterFree(t *testing.T) {
	find := map[string]func(mc *memctx.Context) error{
		"Trim":  func(mc *memctx.Context) error { return mc.Trim() },
		"Check": func(mc *memctx.Context) error { return mc.Check() },
		"Reset": func(mc *memctx.Context) error { return mc.Reset() },
		"Close": func(mc *memctx.Context) error { return mc.Close() },
		"Free": func(mc *memctx.Context) error {
			for range 2000 { // so many do not wait
				freedAt(t, mc, 10)
			}
			return nil
		},
	}
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		for op, look := range find {
			for _, off := range []int{0, 50, 99, 104} {
				o.Name = "late"
				mc, _ := newCounted(t, o)
				if mustAlloc(t, mc, 1); op == "Free" {
					mustAlloc(t, mc, 8<<20) // or less would wait
				}
				p := freedAt(t, mc, 100)
				mustAlloc(t, mc, 1)
				repair := wreck(p, off, 0x41)
				var f *diag.Fault
				if op == "Check" {
					if err := look(mc); !errors.As(err, &f) {
						t.Fatalf("Check = %v", err)
					}
				} else if f = faultOf(func() { look(mc) }); f == nil {
					t.Fatalf("%s found nothing", op)
				}
				if f.Kind != diag.UseAfterFree || f.Op != op || f.Addr != uintptr(p) || f.Block.Size != 100 || f.Context != "late" {
					t.Errorf("%s: %v", op, f)
				}
				if off < 100 && (f.Offset != off || f.Got[0] != 0x41 || f.Want[0] != diag.FillFree) {
					t.Errorf("%s: written at %d: %v", op, off, f)
				}
				if o.Stacks && (!strings.Contains(f.Allocated.Site(), "mustAlloc") || !strings.Contains(f.Freed.Site(), "freedAt")) {
					t.Errorf("%s does not tell where:\n%v", op, f)
				}
				if op == "Trim" || op == "Free" { // the block is free all the same
					mustCheck(t, mc)
					continue
				}
				repair()
				mustCheck(t, mc)
			}
		}
	})
}

// TestHeadOfAFreedBlock overwrites the head of a block that waits.
func TestHeadOfAFreedBlock(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		mustAlloc(t, mc, 1)
		p := freedAt(t, mc, 100)
		head := raw.AddrOf(p) - chunk.Header
		if o.Guard {
			head -= chunk.Align
		}
		saved := raw.Load(head)
		raw.Store(head, 0)
		f := mustFault(t, mc, diag.Corrupt, "Trim", func() { mc.Trim() })
		if f.Addr != uintptr(p) || f.Block.Size != 100 {
			t.Errorf("%v", f)
		}
		raw.Store(head, saved) // too late: the chunk is lost until all are dropped
		mustAlloc(t, mc, 100)
		if err := mc.Reset(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestWaitingIsBounded frees much and watches the footprint and what is cached.
func TestWaitingIsBounded(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for i := range 10_000 {
			freedAt(t, mc, i*37%20_000)
			if s := mc.Stats(); s.Cached > 1<<20 || s.Blocks != 0 || s.InUse != 0 {
				t.Fatalf("after %d blocks: %+v", i, s)
			}
		}
		if n := mc.PeakFootprint(); n > 4<<20 {
			t.Errorf("%d bytes for one block at a time", n)
		}
	})
}

// TestLimitEndsWaiting requires that no request is refused because freed blocks
// wait.
func TestLimitEndsWaiting(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		o.Limit = 256 << 10
		mc, _ := newCounted(t, o)
		for range 100 {
			mc.Free(mustAlloc(t, mc, 150<<10))
		}
		mustCheck(t, mc)
	})
}

// TestFreeSizedExactly holds FreeSized to what was asked for.
func TestFreeSizedExactly(t *testing.T) {
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for _, c := range []struct{ n, align int }{{100, 0}, {100, 1}, {0, 64}, {5000, 256}} {
			p := mustAligned(t, mc, c.n, max(c.align, 1))
			for _, wrong := range []struct{ n, align int }{{c.n + 1, c.align}, {c.n - 1, c.align}, {c.n, 2 * max(c.align, chunk.Align)}, {c.n, max(c.align, 2*chunk.Align) / 2}} {
				if max(wrong.align, chunk.Align) == max(c.align, chunk.Align) && wrong.n == c.n {
					continue // that is what was asked for
				}
				mustFault(t, mc, diag.WrongSize, "FreeSized", func() { mc.FreeSized(p, wrong.n, wrong.align) })
			}
			mc.FreeSized(p, c.n, c.align)
		}
		p := mustRealloc(t, mc, mustAlloc(t, mc, 10), 20)
		mustFault(t, mc, diag.WrongSize, "FreeSized", func() { mc.FreeSized(p, 10, 0) })
		mc.FreeSized(p, 20, 0)
	})
}

// TestStaleWriteAfterClose requires that pages of a closed context are no longer
// accessible, nor handed out to the next.
func TestStaleWriteAfterClose(t *testing.T) {
	cache := segment.NewCache(segment.OS(), 16<<20)
	if !canProtect() {
		t.Skip("pages cannot be protected here")
	}
	eachChecked(t, func(t *testing.T, o memctx.Options) {
		o.Provider = cache
		mc := newContext(t, &o)
		p := mustAlloc(t, mc, 300_000)
		if err := mc.Close(); err != nil {
			t.Fatal(err)
		}
		// Where pages are larger than granules, the ends may be shared.
		if middle := unsafe.Add(p, 150_000); !faults(middle) {
			t.Error("a closed context's page can be written to")
		}
		next := newContext(t, &o)
		if mustAlloc(t, next, 300_000) == p {
			t.Error("the pages were handed out at once")
		}
		if err := errors.Join(next.Close(), cache.Check(), cache.Drain()); err != nil {
			t.Error(err)
		}
	})
}

// canProtect reports whether the system's pages can be made inaccessible.
func canProtect() bool {
	p := segment.OS()
	s, err := p.Acquire(256<<10, 256<<10)
	if err != nil {
		return false
	}
	return errors.Join(segment.Protect(p, s, 0, s.Size, true), segment.Protect(p, s, 0, s.Size, false), p.Release(s)) == nil
}

// faults reports whether a write to p is a memory fault.
//
//go:noinline
func faults(p unsafe.Pointer) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	raw.Store8(raw.AddrOf(p), 1)
	return false
}

// lostEvents is an observer that passes on contexts that were lost.
type lostEvents struct {
	mu   sync.Mutex
	lost []diag.Event
}

func (l *lostEvents) Observe(e diag.Event) {
	if e.Kind == diag.EventLost {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lost = append(l.lost, e)
	}
}

func (l *lostEvents) take() []diag.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// lose makes contexts in a sync.Pool, uses them, and forgets the pool.
//
//go:noinline
func lose(t *testing.T, o memctx.Options, n, closed int) {
	contexts := sync.Pool{New: func() any {
		mc, err := memctx.New(&o)
		if err != nil {
			t.Error(err)
		}
		return mc
	}}
	for i := range n {
		mc := contexts.New().(*memctx.Context)
		mustAlloc(t, mc, 100)
		if i < closed {
			if err := mc.Close(); err != nil {
				t.Error(err)
			}
		}
		contexts.Put(mc)
	}
	untouched := contexts.New().(*memctx.Context) // has no memory to lose
	contexts.Put(untouched)
}

// collect runs the collector until done, or for some seconds.
func collect(done func() bool) {
	for range 500 {
		runtime.GC()
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestCase27_LostContexts puts contexts into a sync.Pool. Each that the collector
// takes is reported with the stack that made it, and its memory is not released.
func TestCase27_LostContexts(t *testing.T) {
	l := &lostEvents{}
	counter := segment.Counting(segment.Heap())
	lose(t, memctx.Options{Name: "pooled", Checked: true, Observer: l, Provider: counter}, 10, 4)
	collect(func() bool { return len(l.take()) >= 6 })
	for range 3 {
		runtime.GC()
	}
	lost := l.take()
	if len(lost) != 6 {
		t.Fatalf("%d contexts are reported, want 6", len(lost))
	}
	sum := 0
	for _, e := range lost {
		var f *diag.Fault
		if !errors.As(e.Err, &f) || f.Kind != diag.Lost || e.Context != "pooled" || f.Context != "pooled" {
			t.Fatalf("%+v", e)
		}
		if !strings.Contains(f.Error(), "\ncreated at\n\tgithub.com/cookmem-go/cookmem/memctx_test.lose") {
			t.Errorf("it is not told where the context was made:\n%v", f)
		}
		sum += e.Size
	}
	if sum != counter.Bytes() || sum == 0 {
		t.Errorf("%d bytes are reported lost, %d are", sum, counter.Bytes())
	}
}

// TestCase27_LostWithoutObserver reads the log, which is told where nobody else
// is.
func TestCase27_LostWithoutObserver(t *testing.T) {
	var log lockedBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	lose(t, memctx.Options{Name: "unobserved", Checked: true, Provider: segment.Heap()}, 1, 0)
	collect(func() bool { return log.String() != "" })
	for _, want := range []string{"level=ERROR", "context not closed", "unobserved", "memctx_test.lose"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, log.String())
		}
	}
}

// TestLostIsForChecked reports nothing of contexts that are not checked.
func TestLostIsForChecked(t *testing.T) {
	l := &lostEvents{}
	lose(t, memctx.Options{Observer: l, Guard: true, Provider: segment.Heap()}, 3, 0)
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n := len(l.take()); n != 0 {
		t.Errorf("%d contexts are reported", n)
	}
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
