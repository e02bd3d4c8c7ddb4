package diag

import (
	"strings"
	"testing"
)

// stackHere records the stack of its caller.
func stackHere(d *Stacks) *Stack { return d.Here(0) }

func TestStack(t *testing.T) {
	var d Stacks
	var same [2]*Stack
	for i := range same {
		same[i] = stackHere(&d)
	}
	other := stackHere(&d)
	if same[0] != same[1] || same[0] == other {
		t.Errorf("stacks %p, %p of one line, %p of another", same[0], same[1], other)
	}
	site, text := other.Site(), other.String()
	if !strings.Contains(site, "diag.TestStack (") || !strings.Contains(site, "stack_test.go:") {
		t.Errorf("the site is %q", site)
	}
	if !strings.HasPrefix(text, "\tgithub.com/cookmem-go/cookmem/diag.TestStack\n\t\t") || !strings.Contains(text, "testing.tRunner") {
		t.Errorf("the stack is\n%s", text)
	}
	if outer := func() *Stack { return d.Here(1) }(); !strings.Contains(outer.Site(), "testing.tRunner") {
		t.Errorf("without the innermost call the site is %q", outer.Site())
	}
}

func TestNoStack(t *testing.T) {
	var s *Stack
	if s.Site() != "" || s.String() != "" {
		t.Error("a stack that nobody recorded has text")
	}
}

// deep calls f below n calls.
func deep(n int, f func()) {
	if n > 0 {
		deep(n-1, f)
		return
	}
	f()
}

// TestStackDepth requires the innermost calls of a stack that is too deep.
func TestStackDepth(t *testing.T) {
	var d Stacks
	var s *Stack
	deep(3*stackDepth, func() { s = d.Here(0) })
	if n := strings.Count(s.String(), "diag.deep\n"); n < stackDepth-2 || n > stackDepth {
		t.Errorf("%d calls:\n%s", n, s)
	}
}

// TestStacksAllocateOnce records the same stack again and again.
func TestStacksAllocateOnce(t *testing.T) {
	var d Stacks
	if n := testing.AllocsPerRun(100, func() { stackHere(&d) }); n != 0 {
		t.Errorf("%v allocations for a known stack", n)
	}
}

func TestHeapsOwnCalls(t *testing.T) {
	const path = "github.com/cookmem-go/cookmem/"
	for function, want := range map[string]bool{
		path + "memctx.(*Context).Alloc": true, path + "memctx.New": true, path + "memctx.NewLocked": true, path + "memctx.Scope": true, path + "memctx.(*Locked).Free": true,
		path + "memctx.TestNew": false, path + "memctx_test.Alloc": false, path + "offheap.(*T).Alloc": false, "main.main": false,
	} {
		if isOurs(function) != want {
			t.Errorf("isOurs(%s) = %t", function, !want)
		}
	}
}
