package memctx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
)

// leakSmall and leakLarge are two places that allocate.
func leakSmall(t *testing.T, mc *memctx.Context, n int) {
	for range n {
		mustAlloc(t, mc, 10)
	}
}

func leakLarge(t *testing.T, mc *memctx.Context) { mustAligned(t, mc, 1000, 256) }

func TestLeaksByPlace(t *testing.T) {
	r := &recorder{}
	mc, _ := newCounted(t, memctx.Options{Stacks: true, Observer: r})
	leakSmall(t, mc, 5)
	leakLarge(t, mc)
	mc.Free(mustAlloc(t, mc, 100_000))
	leaks := mc.Leaks()
	if len(leaks) != 2 {
		t.Fatalf("%d places: %+v", len(leaks), leaks)
	}
	for i, want := range []struct {
		blocks, bytes, first int
		in                   string
	}{{1, 1000, 1000, "leakLarge"}, {5, 50, 10, "leakSmall"}} {
		l := leaks[i]
		if l.Blocks != want.blocks || l.Bytes != want.bytes || l.First.Size != want.first || !strings.Contains(l.Stack.String(), "memctx_test."+want.in+"\n") {
			t.Errorf("leak %d is %+v, want %+v", i, l, want)
		}
	}
	for b := range mc.Blocks() {
		if b.Stack == nil {
			t.Errorf("block %+v has no stack", b)
		}
	}
	r.take()
	if err := mc.Close(); err != nil {
		t.Fatal(err)
	}
	var told []*diag.Leak
	for _, e := range r.take() {
		var l *diag.Leak
		if errors.As(e.Err, &l) && e.Kind == diag.EventLeak && e.Op == "Close" && e.Size == l.Bytes && e.Addr == l.First.Addr {
			told = append(told, l)
		}
	}
	if len(told) != 2 || *told[0] != leaks[0] || *told[1] != leaks[1] {
		t.Errorf("at Close the leaks are %+v, want %+v", told, leaks)
	}
	if mc.Leaks() != nil {
		t.Error("a closed context has leaks")
	}
}

// TestReallocMovesTheSite requires that a block is the caller's who last resized
// it.
func TestReallocMovesTheSite(t *testing.T) {
	mc, _ := newCounted(t, memctx.Options{Stacks: true})
	p := mustAlloc(t, mc, 10)
	for _, n := range []int{5, 50, 5000} {
		p = mustRealloc(t, mc, p, n)
		l := mc.Leaks()
		if len(l) != 1 || l[0].Blocks != 1 || !strings.Contains(l[0].Stack.Site(), "mustRealloc") {
			t.Errorf("after Realloc to %d: %+v, %s", n, l, l[0].Stack.Site())
		}
	}
	mc.Free(p)
	if l := mc.Leaks(); len(l) != 0 {
		t.Errorf("after Free: %+v", l)
	}
}

// TestLeaksWithoutStacks are one, and no observer hears of them.
func TestLeaksWithoutStacks(t *testing.T) {
	r := &recorder{}
	mc, _ := newCounted(t, memctx.Options{Observer: r, ExactSize: true})
	leakSmall(t, mc, 5)
	leakLarge(t, mc)
	if l := mc.Leaks(); len(l) != 1 || l[0].Blocks != 6 || l[0].Bytes != 1050 || l[0].Stack != nil {
		t.Errorf("%+v", l)
	}
	r.take()
	mc.Close()
	if got := r.text(); got != "release, close Close" {
		t.Errorf("the events are %q", got)
	}
}
