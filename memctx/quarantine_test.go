package memctx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// closedChild makes a checked context of blocks, allocates a block of n bytes in it,
// closes it and returns the block's address.
func closedChild(t *testing.T, p segment.Provider, name string, n int) unsafe.Pointer {
	t.Helper()
	child, err := memctx.New(&memctx.Options{Name: name, Checked: true, Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	stale := mustAlloc(t, child, n)
	if err := child.Close(); err != nil {
		t.Fatal(err)
	}
	return stale
}

// eachMode runs f for contexts of each mode.
func eachMode(t *testing.T, f func(t *testing.T, o memctx.Options)) {
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) { f(t, mode.options) })
	}
}

// TestStaleWriteInParent writes to memory of a closed context that is a block of its
// parent again, and lets each way find out that looks for it. Nobody else may have
// been given that memory.
func TestStaleWriteInParent(t *testing.T) {
	find := map[string]func(mc *memctx.Context) error{
		"Trim":  func(mc *memctx.Context) error { return mc.Trim() },
		"Check": func(mc *memctx.Context) error { return mc.Check() },
		"Reset": func(mc *memctx.Context) error { return mc.Reset() },
		"Close": func(mc *memctx.Context) error { return mc.Close() },
	}
	eachMode(t, func(t *testing.T, o memctx.Options) {
		for op, look := range find {
			for _, n := range []int{100, 50_000, 1 << 20} {
				o.Name = "parent"
				parent, _ := newCounted(t, o)
				stale := closedChild(t, parent.Provider(), "request 7", n)
				if next := closedChild(t, parent.Provider(), "request 8", n); next == stale {
					t.Fatalf("%d bytes were handed out again at once", n)
				}
				if s := parent.Stats(); s.Blocks != 0 || s.InUse != 0 || s.Cached < n || len(parent.Leaks()) != 0 {
					t.Errorf("%+v", s)
				}
				mustCheck(t, parent)
				repair := wreck(stale, n/2, 0x41)
				var f *diag.Fault
				if op == "Check" {
					if err := look(parent); !errors.As(err, &f) {
						t.Fatalf("Check = %v", err)
					}
				} else if f = faultOf(func() { look(parent) }); f == nil {
					t.Fatalf("%s found nothing", op)
				}
				if f.Kind != diag.UseAfterFree || f.Op != op || f.Context != "parent" || !strings.Contains(f.Hint, `"request 7"`) {
					t.Errorf("%s: %v", op, f)
				}
				if at := f.Block.Addr + uintptr(f.Offset); at != uintptr(stale)+uintptr(n/2) || f.Got[0] != 0x41 || f.Want[0] != diag.FillFree {
					t.Errorf("%s: written at %#x: %v", op, uintptr(stale)+uintptr(n/2), f)
				}
				if !strings.Contains(f.Error(), "\ncreated at\n\tgithub.com/cookmem-go/cookmem/memctx_test.closedChild") {
					t.Errorf("%s does not tell where the context was made:\n%v", op, f)
				}
				if op != "Trim" { // else it is free memory by now
					repair()
				}
				mustCheck(t, parent)
				if err := parent.Reset(); err != nil || parent.Stats().Blocks != 0 {
					t.Errorf("Reset = %v", err)
				}
			}
		}
	})
}

// TestStaleWriteIsFoundInPassing lets so much follow that the memory is used again.
// The children, in whose calls that happens, are not to blame and must not panic.
func TestStaleWriteIsFoundInPassing(t *testing.T) {
	eachMode(t, func(t *testing.T, o memctx.Options) {
		r := &recorder{}
		o.Observer = r
		parent, _ := newCounted(t, o)
		stale := closedChild(t, parent.Provider(), "first", 100)
		*(*byte)(stale) ^= 1
		other := closedChild(t, parent.Provider(), "second", 100)
		*(*byte)(other) ^= 1
		for range 300 {
			closedChild(t, parent.Provider(), "later", 100_000)
		}
		var told []string
		for _, e := range r.take() {
			var f *diag.Fault
			if errors.As(e.Err, &f) && f.Kind == diag.UseAfterFree {
				told = append(told, f.Hint)
			}
		}
		if len(told) != 2 || !strings.Contains(told[0], `"first"`) || !strings.Contains(told[1], `"second"`) {
			t.Errorf("the observer was told %q", told)
		}
		var f *diag.Fault
		if err := parent.Check(); !errors.As(err, &f) || f.Kind != diag.UseAfterFree {
			t.Errorf("Check = %v", err)
		}
		if f := mustFault(t, parent, diag.UseAfterFree, "Trim", func() { parent.Trim() }); !strings.Contains(f.Hint, `"first"`) {
			t.Errorf("%v", f)
		}
		if err := errors.Join(parent.Check(), parent.Trim()); err != nil {
			t.Error(err)
		}
	})
}

// TestFeedQuarantineIsBounded closes more than is held back, and requires that no
// request is refused because of what is.
func TestFeedQuarantineIsBounded(t *testing.T) {
	eachMode(t, func(t *testing.T, o memctx.Options) {
		parent, up := newCounted(t, o)
		for i := range 400 {
			closedChild(t, parent.Provider(), "child", 1+i*37_123%300_000)
		}
		if n := up.PeakBytes(); n > 8<<20 {
			t.Errorf("%d bytes for one child at a time", n)
		}
		mustCheck(t, parent)
		if err := parent.Trim(); err != nil || parent.Stats().Cached != 0 {
			t.Errorf("Trim = %v, %+v", err, parent.Stats())
		}
		o.Limit = 512 << 10
		parent, _ = newCounted(t, o)
		for range 20 {
			closedChild(t, parent.Provider(), "child", 300<<10)
		}
		closedChild(t, parent.Provider(), "tiny", 1)
		mustAlloc(t, parent, 300<<10)
		mustCheck(t, parent)
	})
}

// TestFeedQuarantineEndsOnce releases a segment twice, and frees one as a block.
func TestFeedQuarantineEndsOnce(t *testing.T) {
	eachMode(t, func(t *testing.T, o memctx.Options) {
		parent, _ := newCounted(t, o)
		p := parent.Provider()
		for _, n := range []int{100, 20_000, 5 << 20} { // small, held back, too large for that
			s, err := p.Acquire(n, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := segment.Quarantine(p, s); err != nil {
				t.Fatal(err)
			}
			if s.Size > 4<<20 && !isChecked(o) {
				continue // the segment is gone, and no address of the parent's
			}
			mustFault(t, parent, diag.DoubleFree, "Free", func() { p.Release(s) })
			mustFault(t, parent, diag.DoubleFree, "Quarantine", func() { segment.Quarantine(p, s) })
			mustCheck(t, parent)
		}
		if err := segment.Quarantine(p, segment.Segment{}); !errors.Is(err, segment.ErrForeign) {
			t.Errorf("Quarantine of nothing = %v", err)
		}
		s, err := p.Acquire(20_000, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		long := segment.Segment{Base: s.Base, Size: s.Size + 100}
		if err := segment.Quarantine(p, long); !errors.Is(err, segment.ErrForeign) {
			t.Errorf("Quarantine of too much = %v", err)
		}
		if err := errors.Join(p.Release(s), parent.Close(), segment.Quarantine(p, s)); err != nil {
			t.Error(err)
		}
	})
}

// TestHeadOfAQuarantinedBlock overwrites the head of a block that is held back.
func TestHeadOfAQuarantinedBlock(t *testing.T) {
	parent := newContext(t, &memctx.Options{Provider: segment.Heap()})
	p := parent.Provider()
	s, err := p.Acquire(100_000, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	if err := segment.Quarantine(p, s); err != nil {
		t.Fatal(err)
	}
	wreck(s.Base, -1, 0x41)
	wreck(s.Base, -8, 0x41)
	mustFault(t, parent, diag.Corrupt, "Trim", func() { parent.Trim() })
	if err := parent.Reset(); err != nil { // the chunk is lost until all are dropped
		t.Fatal(err)
	}
}

// TestFeedQuarantineThroughOthers has a lock and a budget between parent and child.
// Behind a cache, which keeps segments for itself, nothing is held back, nor is
// memory of a child that does not look for misuse.
func TestFeedQuarantineThroughOthers(t *testing.T) {
	locked, err := memctx.NewLocked(&memctx.Options{Name: "locked", Provider: segment.Heap()})
	if err != nil {
		t.Fatal(err)
	}
	budget := segment.NewBudget("b", locked.Provider(), 8<<20)
	for _, c := range []struct {
		p    segment.Provider
		want string // what the fault tells
	}{
		{locked.Provider(), `segment of context "child"`},
		{budget, "segment of a context"},
	} {
		stale := closedChild(t, c.p, "child", 100_000)
		*(*byte)(stale) ^= 1
		if budget.Used() != 0 {
			t.Errorf("%d bytes are charged for what is held back", budget.Used())
		}
		if f := faultOf(func() { locked.Trim() }); f == nil || !strings.Contains(f.Hint, c.want) {
			t.Errorf("%T: %v", c.p, f)
		}
	}
	closedChild(t, segment.NewCache(locked.Provider(), 0), "child", 100_000)
	if s := locked.Stats(); s.Cached != 0 {
		t.Errorf("memory from a cache is held back: %+v", s)
	}
	plain, err := memctx.New(&memctx.Options{Provider: locked.Provider()})
	if err != nil {
		t.Fatal(err)
	}
	mustAlloc(t, plain, 100_000)
	if err := plain.Close(); err != nil || locked.Stats().Cached != 0 {
		t.Errorf("Close = %v; memory of a context that is not checked is held back: %+v", err, locked.Stats())
	}
	if err := errors.Join(locked.Check(), locked.Close()); err != nil {
		t.Error(err)
	}
}

// TestFeedQuarantineOfTrees resets and closes a parent with children in it.
func TestFeedQuarantineOfTrees(t *testing.T) {
	eachMode(t, func(t *testing.T, o memctx.Options) {
		o.Name = "parent"
		parent, _ := newCounted(t, o)
		for i := range 3 {
			child := mustChild(t, parent, &memctx.Options{Name: fmt.Sprint("child ", i), Checked: true, Provider: parent.Provider()})
			mustAlloc(t, child, 30_000)
		}
		for _, end := range []func() error{parent.Reset, parent.Close} {
			if err := end(); err != nil {
				t.Fatal(err)
			}
			if end := parent.Stats(); end.Blocks != 0 || end.Cached != 0 {
				t.Errorf("%+v", end)
			}
		}
	})
}
