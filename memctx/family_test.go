package memctx_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// newTree returns a context over a counter, with two children of which the
// first has one too, each with a block. Everything is given back at the end.
func newTree(t *testing.T) (tree map[string]*memctx.Context, up *segment.Counter) {
	root, up := newCounted(t, memctx.Options{Name: "root"})
	tree = map[string]*memctx.Context{"root": root}
	for _, names := range [][2]string{{"root", "a"}, {"a", "aa"}, {"root", "b"}} {
		tree[names[1]] = mustChild(t, tree[names[0]], &memctx.Options{Name: names[1]})
	}
	for _, mc := range tree {
		fill(mustAlloc(t, mc, 1000), 1000, 1)
	}
	return tree, up
}

func mustChild(t testing.TB, mc *memctx.Context, o *memctx.Options) *memctx.Context {
	t.Helper()
	child, err := mc.NewChild(o)
	if err != nil {
		t.Fatal(err)
	}
	return child
}

func names(mc *memctx.Context) (names []string) {
	for c := range mc.Children() {
		names = append(names, c.Name())
	}
	return names
}

func TestCloseOfATree(t *testing.T) {
	tree, up := newTree(t)
	if got := names(tree["root"]); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("children %q", got)
	}
	// A child shares its parent's provider.
	if n := up.Acquires(); n != 4 {
		t.Errorf("%d segments for 4 contexts", n)
	}
	if err := tree["a"].Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(tree["root"]); !slices.Equal(got, []string{"b"}) {
		t.Errorf("children after one has closed: %q", got)
	}
	if _, err := tree["aa"].Alloc(1); !errors.Is(err, memctx.ErrClosed) {
		t.Errorf("below a closed context: %v", err)
	}
	if err := tree["root"].Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
	_, err := tree["root"].NewChild(nil)
	mustFail(t, err, memctx.ErrClosed, "NewChild")
	if _, err := newContext(t, nil).NewChild(&memctx.Options{Limit: -1}); err == nil {
		t.Error("a child with a negative limit")
	}
}

func TestResetOfATree(t *testing.T) {
	tree, _ := newTree(t)
	if err := tree["root"].Reset(); err != nil {
		t.Fatal(err)
	}
	for name, mc := range tree {
		mustCheck(t, mc)
		if s := mc.Stats(); s.Blocks != 0 || name != "root" && s.Footprint != 0 {
			t.Errorf("%s: %d blocks, footprint %d", name, s.Blocks, s.Footprint)
		}
		fill(mustAlloc(t, mc, 5000), 5000, 2) // all of them are still open
	}
}

func TestCallbacks(t *testing.T) {
	tree, _ := newTree(t)
	var calls []string
	for _, name := range []string{"root", "a", "aa", "b"} {
		mc := tree[name]
		p := mustAlloc(t, mc, 10)
		fill(p, 10, 7)
		note := func(what string) func() {
			return func() {
				if !all(p, 10, 7) {
					t.Errorf("%s of %s: the block is gone already", what, name)
				}
				calls = append(calls, what+" "+name)
			}
		}
		mc.OnClose(note("close"))
		mc.OnReset(func() { calls = append(calls, "reset "+name) })
		mc.OnClose(note("newer close"))
	}
	must := func(want ...string) {
		t.Helper()
		if !slices.Equal(calls, want) {
			t.Errorf("calls %q, want %q", calls, want)
		}
		calls = nil
	}
	for range 2 {
		if err := tree["a"].Close(); err != nil {
			t.Fatal(err)
		}
	}
	must("newer close a", "close a", "newer close aa", "close aa") // once
	if err := tree["b"].Reset(); err != nil {
		t.Fatal(err)
	}
	must("reset b")
	for range 2 {
		if err := tree["root"].Reset(); err != nil {
			t.Fatal(err)
		}
		must("reset root", "reset b")
	}
}

// TestCallbackPanics must leave a context that can be closed, and call what was
// not called yet.
func TestCallbackPanics(t *testing.T) {
	mc, up := newCounted(t, memctx.Options{})
	mustAlloc(t, mc, 100)
	var calls []string
	mc.OnClose(func() { calls = append(calls, "old") })
	mc.OnClose(func() { panic("callback") })
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		mc.Close()
	}()
	if len(calls) != 0 || up.Bytes() == 0 {
		t.Errorf("%q called, %d bytes left", calls, up.Bytes())
	}
	if err := mc.Close(); err != nil || len(calls) != 1 {
		t.Errorf("Close = %v, %q called", err, calls)
	}
}

// TestCallbackUsesItsContext is allowed: the call has not begun.
func TestCallbackUsesItsContext(t *testing.T) {
	mc := newContext(t, nil)
	child := mustChild(t, mc, nil)
	mc.OnClose(func() {
		mustAlloc(t, mc, 10)
		if err := child.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := mc.Close(); err != nil {
		t.Error(err)
	}
}

func TestAdopt(t *testing.T) {
	tree, up := newTree(t)
	a, b := tree["a"], tree["b"]
	if err := b.Adopt(a); err != nil {
		t.Fatal(err)
	}
	if len(names(tree["root"])) != 1 || !slices.Equal(names(b), []string{"a"}) || !slices.Equal(names(a), []string{"aa"}) {
		t.Errorf("root %q, b %q, a %q", names(tree["root"]), names(b), names(a))
	}
	for _, below := range []string{"a", "aa", "b"} {
		if err := tree[below].Adopt(b); err == nil || !strings.Contains(err.Error(), "below itself") {
			t.Errorf("%s.Adopt(b): %v", below, err)
		}
	}
	if err := b.Close(); err != nil { // with all below
		t.Fatal(err)
	}
	mustFail(t, tree["root"].Adopt(b), memctx.ErrClosed, "Adopt")
	mustFail(t, b.Adopt(tree["root"]), memctx.ErrClosed, "Adopt")
	stray := newContext(t, nil)
	if err := tree["root"].Adopt(stray); err != nil {
		t.Error(err)
	}
	if err := tree["root"].Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
	if _, err := stray.Alloc(1); !errors.Is(err, memctx.ErrClosed) {
		t.Errorf("an adopted child after Close: %v", err)
	}
}

// TestAdoptKeepsGround refuses to move a context away from that whose blocks it
// stands on.
func TestAdoptKeepsGround(t *testing.T) {
	tree, _ := newTree(t)
	a := tree["a"]
	on := mustChild(t, a, &memctx.Options{Name: "on", Provider: a.Provider()})
	below := mustChild(t, on, &memctx.Options{Name: "below", Provider: on.Provider()})
	mustAlloc(t, below, 100)
	for _, moved := range []*memctx.Context{on, below} {
		if err := tree["b"].Adopt(moved); err == nil || !strings.Contains(err.Error(), "blocks of a context") {
			t.Errorf("b adopts %q: %v", moved.Name(), err)
		}
	}
	if err := tree["aa"].Adopt(on); err != nil { // a is above aa
		t.Error(err)
	}
	if err := tree["b"].Adopt(a); err != nil { // all of it moves
		t.Error(err)
	}
	for _, mc := range []*memctx.Context{on, below} {
		mustCheck(t, mc)
	}
}

// TestCloseOfATreeThatIsRefused lets the provider refuse everything for a while.
func TestCloseOfATreeThatIsRefused(t *testing.T) {
	up := segment.Counting(segment.Heap())
	stuck := segtest.NewStuck(up)
	mc := newContext(t, &memctx.Options{Name: "mc", Provider: stuck})
	child := mustChild(t, mc, &memctx.Options{Name: "child"})
	inside := mustChild(t, child, &memctx.Options{Name: "inside", Provider: child.Provider()})
	for _, c := range []*memctx.Context{mc, child, inside} {
		mustAlloc(t, c, 100_000)
	}
	mustFail(t, mc.Reset(), memctx.ErrNoMemory, "Reset")
	if mc.Stats().Blocks != 1 || child.Stats().Blocks != 0 {
		t.Errorf("after Reset: %d blocks, %d in the child", mc.Stats().Blocks, child.Stats().Blocks)
	}
	for range 2 {
		mustFail(t, mc.Close(), memctx.ErrNoMemory, "Close")
	}
	if got := names(mc); !slices.Equal(got, []string{"child"}) {
		t.Errorf("a child that holds memory must stay: %q", got)
	}
	stuck.Heal()
	if err := mc.Close(); err != nil || up.Bytes() != 0 || len(names(mc)) != 0 {
		t.Errorf("Close = %v, %d bytes left, children %q", err, up.Bytes(), names(mc))
	}
}

// TestTreeWithABrokenGuard reports the child's guard once, and then lets go.
func TestTreeWithABrokenGuard(t *testing.T) {
	mc, up := newCounted(t, memctx.Options{Name: "mc"})
	child := mustChild(t, mc, &memctx.Options{Name: "child", Guard: true})
	p := mustAlloc(t, child, 10)
	bytesAt(p, 11)[10] ^= 1
	fault := faultOf(func() { mc.Close() })
	if fault == nil || fault.Kind != diag.GuardAfter || fault.Context != "child" {
		t.Fatalf("fault %v", fault)
	}
	if err := mc.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
}

// TestScopeClosesATree also when f panics and a child has a broken guard.
func TestScopeClosesATree(t *testing.T) {
	up := segment.Counting(segment.Heap())
	func() {
		defer func() {
			if r := recover(); r != "f" {
				t.Errorf("panic %v", r)
			}
		}()
		_ = memctx.Scope(&memctx.Options{Provider: up}, func(mc *memctx.Context) error {
			child := mustChild(t, mc, &memctx.Options{Guard: true})
			p := mustAlloc(t, child, 10)
			bytesAt(p, 11)[10] ^= 1
			panic("f")
		})
	}()
	if up.Bytes() != 0 {
		t.Errorf("%d bytes left", up.Bytes())
	}
}

func TestTreeCallsWithinACall(t *testing.T) {
	mc := newContext(t, &memctx.Options{Name: "mc"})
	mustChild(t, mc, nil)
	mustAlloc(t, mc, 10)
	for op, call := range map[string]func(){"Close": func() { mc.Close() }, "Reset": func() { mc.Reset() }} {
		for range mc.Blocks() {
			mustFault(t, mc, diag.Concurrent, op, call)
		}
	}
}

func TestWriteTree(t *testing.T) {
	tree, _ := newTree(t)
	tree["a"].SetLimit(1 << 20)
	mustChild(t, tree["b"], nil)
	var b strings.Builder
	if err := tree["root"].WriteTree(&b); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(b.String()) {
		f := strings.Fields(line)
		rows = append(rows, fmt.Sprint(len(line)-len(strings.TrimLeft(line, " ")), f[0], " ", f[1], " ", f[2]))
	}
	want := []string{
		"0context footprint limit", "0root 16KiB unlimited", "2a 16KiB 1MiB", "4aa 16KiB unlimited",
		"2b 16KiB unlimited", "4(unnamed) 0B unlimited", "05 contexts 64KiB",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("%q, want %q\n%s", rows, want, b.String())
	}
	if err := tree["root"].WriteTree(brokenWriter{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("WriteTree = %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// TestContextSize keeps what a context may grow by for the sake of others.
func TestContextSize(t *testing.T) {
	if size := unsafe.Sizeof(memctx.Context{}); size > 5<<10 {
		t.Errorf("a Context has %d bytes", size)
	}
}

// TestChildrenLeaveInAnyOrder closes and moves children in random order and compares
// the list of those left with a slice.
func TestChildrenLeaveInAnyOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	parent, other := newContext(t, nil), newContext(t, nil)
	var here, there []*memctx.Context
	for range 2000 {
		switch i := rnd.IntN(4); {
		case i < 2 || len(here) == 0:
			here = append(here, mustChild(t, parent, nil))
		case i == 2:
			at := rnd.IntN(len(here))
			if err := here[at].Close(); err != nil {
				t.Fatal(err)
			}
			here = slices.Delete(here, at, at+1)
		default:
			at := rnd.IntN(len(here))
			if err := other.Adopt(here[at]); err != nil {
				t.Fatal(err)
			}
			there = append(there, here[at])
			here = slices.Delete(here, at, at+1)
		}
		if got := slices.Collect(parent.Children()); !slices.Equal(got, here) {
			t.Fatalf("the children are %v, not %v", got, here)
		}
	}
	if got := slices.Collect(other.Children()); !slices.Equal(got, there) {
		t.Fatalf("%d children were adopted, not %d", len(got), len(there))
	}
	for _, mc := range []*memctx.Context{parent, other} {
		if err := mc.Close(); err != nil {
			t.Error(err)
		}
		if left := slices.Collect(mc.Children()); len(left) != 0 {
			t.Errorf("%d children are left", len(left))
		}
	}
}
