package diag

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := DoubleFree; k <= Lost; k++ {
		text := k.String()
		if text == "" || seen[text] || strings.Contains(text, "Kind(") || k.Error() != text {
			t.Errorf("kind %d is %q", int(k), text)
		}
		seen[text] = true
	}
	for _, k := range []Kind{0, -1, Lost + 1, 1000} {
		if want := fmt.Sprintf("diag.Kind(%d)", int(k)); k.String() != want {
			t.Errorf("kind %d is %q", int(k), k)
		}
	}
}

func TestFaultIsItsKind(t *testing.T) {
	f := &Fault{Kind: GuardAfter, Op: "Free"}
	wrapped := fmt.Errorf("request 7: %w", f)
	if !errors.Is(wrapped, GuardAfter) || errors.Is(wrapped, GuardBefore) || errors.Is(wrapped, errors.New("guard")) {
		t.Error("errors.Is is wrong")
	}
	var found *Fault
	if !errors.As(wrapped, &found) || found != f {
		t.Error("errors.As is wrong")
	}
}

func TestFaultText(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  string
	}{
		{Fault{Kind: Concurrent, Op: "Alloc"}, `memctx: Alloc: concurrent use in context ""`},
		{Fault{Kind: DoubleFree, Op: "Free", Context: "tenant", Addr: 0x1230, Hint: "freed before"},
			`memctx: Free: double free: pointer 0x1230 in context "tenant" (freed before)`},
		{Fault{Kind: GuardAfter, Op: "Check", Context: "c", Block: Block{Addr: 0x40, Size: 10}, Offset: 10, Want: []byte{0xfd, 0xfd}, Got: []byte{0, 1}},
			`memctx: Check: write past the block's end, block of 10 bytes at 0x40 in context "c": byte 10 is 00 01, want fd fd`},
	} {
		if got := c.fault.Error(); got != c.want {
			t.Errorf("the fault is %s\nwant %s", got, c.want)
		}
	}
}

// TestFaultShowsStacks requires each stack under its heading.
func TestFaultShowsStacks(t *testing.T) {
	var d Stacks
	here := stackHere(&d)
	f := Fault{Kind: UseAfterFree, Op: "Free", Context: "c", Allocated: here, Freed: here}
	text := f.Error()
	want := fmt.Sprintf("memctx: Free: write after Free in context \"c\"\nallocated at\n%sfreed at\n%s", here, here)
	if text != strings.TrimSuffix(want, "\n") {
		t.Errorf("the fault is\n%s\nwant\n%s", text, want)
	}
	f = Fault{Kind: Lost, Op: "New", Created: here}
	if !strings.Contains(f.Error(), "\ncreated at\n\t") {
		t.Errorf("the fault is\n%s", f.Error())
	}
}
