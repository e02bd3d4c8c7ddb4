package memctx_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// What functions of OnReset and OnClose do to the tree that is being reset or closed.

func TestResetWithinReset(t *testing.T) {
	for _, by := range []string{"root", "a", "aa"} {
		for _, of := range []string{"root", "a", "aa"} {
			tree, _ := newTree(t)
			calls := 0
			tree[by].OnReset(func() {
				calls++
				_ = tree[of].Reset()
			})
			// Only what is being reset already is in the way.
			reset := func() { _ = tree["a"].Reset() }
			if by != "root" && (of == "a" || of == by) {
				mustFault(t, tree[of], diag.Concurrent, "Reset", reset)
			} else if f := faultOf(reset); (f != nil) != (by != "root" && of == "root") {
				t.Errorf("%s resets %s: %v", by, of, f)
			}
			if calls > 1 {
				t.Errorf("%s resets %s: %d calls", by, of, calls)
			}
			for _, mc := range tree { // the fault was the only harm
				mustCheck(t, mc)
				fill(mustAlloc(t, mc, 100), 100, 3)
			}
		}
	}
}

func TestCloseWithinReset(t *testing.T) {
	for _, of := range []string{"root", "a", "aa", "b"} {
		tree, up := newTree(t)
		p := mustAlloc(t, tree["root"], 10)
		fill(p, 10, 7)
		older := false
		tree["root"].OnReset(func() {
			if older = true; !all(p, 10, 7) {
				t.Errorf("the block is gone already")
			}
		})
		tree["root"].OnReset(func() {
			if err := tree[of].Close(); err != nil {
				t.Error(err)
			}
		})
		err := tree["root"].Reset()
		if of == "root" {
			mustFail(t, err, memctx.ErrClosed, "Reset")
		} else if err != nil {
			t.Errorf("closing %s: %v", of, err)
		}
		if older != (of != "root") {
			t.Errorf("closing %s: the older function was called: %v", of, older)
		}
		if err := tree["root"].Close(); err != nil || up.Bytes() != 0 {
			t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
		}
	}
}

// TestSiblingsWithinReset lets the child that is reset first close, or move, another.
func TestSiblingsWithinReset(t *testing.T) {
	tree, _ := newTree(t)
	elsewhere, _ := newCounted(t, memctx.Options{})
	c := mustChild(t, tree["root"], nil)
	mustAlloc(t, c, 10)
	c.OnReset(func() {
		if err := errors.Join(tree["b"].Close(), elsewhere.Adopt(tree["a"])); err != nil {
			t.Error(err)
		}
	})
	if err := tree["root"].Reset(); err != nil {
		t.Error(err)
	}
	if n := tree["a"].Stats().Blocks; n != 1 {
		t.Errorf("%d blocks in the child that was moved away", n)
	}
}

// TestAllocWithinReset lets a function take memory that stands on blocks of the root in
// contexts that were reset before it, and in one that is new. None of it may outlive
// the blocks.
func TestAllocWithinReset(t *testing.T) {
	root, up := newCounted(t, memctx.Options{})
	onBlocks := func(mc *memctx.Context) *memctx.Context {
		return mustChild(t, mc, &memctx.Options{Provider: mc.Provider()})
	}
	first := onBlocks(root)
	second := onBlocks(root)
	below := onBlocks(second)
	var late *memctx.Context
	first.OnReset(func() { // called last: the newest child is reset first
		late = onBlocks(root)
		for _, mc := range []*memctx.Context{second, below, late, root} {
			mustAlloc(t, mc, 10)
		}
	})
	if err := root.Reset(); err != nil {
		t.Fatal(err)
	}
	for i, mc := range []*memctx.Context{root, first, second, below, late} {
		if s := mc.Stats(); s.Blocks != 0 || mc != root && s.Footprint != 0 {
			t.Errorf("context %d has %d blocks, %d bytes after the reset", i, s.Blocks, s.Footprint)
		}
		fill(mustAlloc(t, mc, 100), 100, 3)
		mustCheck(t, mc)
	}
	if err := root.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
}

// TestResetTriesToClose has a child that could not be closed.
func TestResetTriesToClose(t *testing.T) {
	up := segment.Counting(segment.Heap())
	root := newContext(t, &memctx.Options{Provider: up})
	failing := segment.FailingFrom(up, 2)
	child := mustChild(t, root, &memctx.Options{Provider: failing})
	mustAlloc(t, child, 10)
	if child.Close() == nil || root.Reset() == nil {
		t.Error("the provider refused nothing")
	}
	failing.Heal()
	if err := root.Reset(); err != nil || up.Bytes() != 0 || len(names(root)) != 0 {
		t.Errorf("Reset = %v, %d bytes left", err, up.Bytes())
	}
}

func TestAdoptWithinClose(t *testing.T) {
	tree, _ := newTree(t)
	elsewhere := newContext(t, nil)
	p := mustAlloc(t, tree["a"], 10)
	fill(p, 10, 7)
	tree["b"].OnClose(func() {
		if err := elsewhere.Adopt(tree["a"]); err != nil {
			t.Error(err)
		}
	})
	if err := tree["root"].Close(); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, tree["a"])
	if !all(p, 10, 7) || !slices.Equal(names(elsewhere), []string{"a"}) {
		t.Errorf("the child that was moved away: %q", names(elsewhere))
	}
}

// TestNewcomersWithinClose has a child that makes others, and registers functions,
// while its parent is being closed.
func TestNewcomersWithinClose(t *testing.T) {
	root, up := newCounted(t, memctx.Options{})
	child := mustChild(t, root, nil)
	var calls []string
	child.OnClose(func() {
		calls = append(calls, "child")
		late := mustChild(t, root, nil)
		mustAlloc(t, late, 10)
		late.OnClose(func() { calls = append(calls, "late child") })
		root.OnClose(func() { calls = append(calls, "root") })
	})
	if err := root.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
	if want := []string{"child", "root", "late child"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

func TestNilFunctions(t *testing.T) {
	mc := newContext(t, nil)
	mc.OnReset(nil)
	mc.OnClose(nil)
	if err := errors.Join(mc.Reset(), mc.Close()); err != nil {
		t.Error(err)
	}
}

// panics adds functions that panic to a context and to a child of it.
func panics(t *testing.T, mc *memctx.Context) {
	t.Helper()
	child := mustChild(t, mc, nil)
	mustAlloc(t, mc, 10)
	mustAlloc(t, child, 10)
	for range 3 {
		mc.OnClose(func() { panic("mc") })
		child.OnClose(func() { panic("child") })
	}
}

// recovered returns what f panics with.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestScopeWithManyPanics(t *testing.T) {
	for _, own := range []bool{false, true} {
		up := segment.Counting(segment.OS())
		value := recovered(func() {
			_ = memctx.Scope(&memctx.Options{Provider: up}, func(mc *memctx.Context) error {
				if panics(t, mc); own {
					panic("its own")
				}
				return nil
			})
		})
		if value == nil || up.Bytes() != 0 {
			t.Errorf("panic %v, %d bytes left", value, up.Bytes())
		}
	}
}

func TestPutWithManyPanics(t *testing.T) {
	up := segment.Counting(segment.OS())
	p := memctx.NewPool(&memctx.Options{Provider: up}, 4)
	mc := mustGet(t, p)
	panics(t, mc)
	if value := recovered(func() { p.Put(mc) }); value == nil {
		t.Error("no panic")
	}
	if err := p.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
}

// panicky panics when it is told that a context is closed, for some time.
type panicky struct{ left int }

func (o *panicky) Observe(e diag.Event) {
	if e.Kind == diag.EventClose && o.left > 0 {
		o.left--
		panic("observer")
	}
}

// TestTrimOfAPoolWithPanics has an observer that panics when the first of several
// contexts is closed: the others are not lost.
func TestTrimOfAPoolWithPanics(t *testing.T) {
	up := segment.Counting(segment.OS())
	p := memctx.NewPool(&memctx.Options{Provider: up, Observer: &panicky{left: 1}}, 4)
	var lent []*memctx.Context
	for range 4 {
		mc := mustGet(t, p)
		mustAlloc(t, mc, 10)
		lent = append(lent, mc)
	}
	for _, mc := range lent {
		p.Put(mc)
	}
	if value := recovered(func() { _ = p.Trim() }); value != "observer" {
		t.Errorf("panic %v", value)
	}
	if err := p.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
}
