package diag

import (
	"fmt"
	"strings"
)

// Kind is a kind of misuse. It is an error, so that a recovered fault can be
// tested with errors.Is(fault, diag.DoubleFree).
type Kind int

// The kinds of misuse that a context detects.
const (
	DoubleFree   Kind = iota + 1 // a block was freed that is already free
	Misaligned                   // a pointer that no allocation returns
	Foreign                      // a pointer of another context, or of no context
	Corrupt                      // a chunk's head or trailer was overwritten
	GuardBefore                  // bytes before a block were overwritten
	GuardAfter                   // bytes after a block were overwritten
	WrongSize                    // FreeSized with a size the block does not have
	AfterClose                   // the context was closed before
	Concurrent                   // two calls at once, or a call from within a call
	Interior                     // a pointer into the context's memory where no block begins
	UseAfterFree                 // a block was written to after it was freed
	Lost                         // a context was collected without having been closed
)

var kindTexts = [...]string{
	DoubleFree:  "double free",
	Misaligned:  "misaligned pointer",
	Foreign:     "foreign pointer",
	Corrupt:     "corrupt heap",
	GuardBefore: "write before the block",
	GuardAfter:  "write past the block's end",
	WrongSize:   "wrong size",
	AfterClose:  "use after Close",
	Concurrent:  "concurrent use",

	Interior:     "pointer to no block's start",
	UseAfterFree: "write after Free",
	Lost:         "context not closed",
}

// String returns the kind in a few words.
func (k Kind) String() string {
	if k < 1 || int(k) >= len(kindTexts) {
		return fmt.Sprintf("diag.Kind(%d)", int(k))
	}
	return kindTexts[k]
}

// Error makes a Kind a target for errors.Is; it returns the same as String.
func (k Kind) Error() string { return k.String() }

// Fault describes one misuse of a heap. Contexts panic with a *Fault; it is an
// error, so that whoever recovers it can log or return it. The text is made
// when it is asked for.
type Fault struct {
	Kind    Kind
	Op      string  // the call that met it: "Free", "Realloc", ...
	Context string  // name of the context
	Addr    uintptr // the pointer that was passed, 0 if none was
	Block   Block   // the block concerned, as far as it is known
	Offset  int     // of the first wrong byte from the block's start, where Got shows any
	Want    []byte  // bytes expected at Offset
	Got     []byte  // bytes found there
	Hint    string  // what to look for, may be empty

	Allocated *Stack // where the block was allocated, nil if that was not recorded
	Freed     *Stack // where it was freed, likewise
	Created   *Stack // where the context was made that is lost, or whose memory was written to when it was gone
}

// Error returns the fault as one line: what, where, whose. The stacks that it
// has follow on lines of their own.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "memctx: %s: %s", f.Op, f.Kind)
	if f.Addr != 0 {
		fmt.Fprintf(&b, ": pointer %#x", f.Addr)
	}
	if f.Block.Addr != 0 {
		fmt.Fprintf(&b, ", block of %d bytes at %#x", f.Block.Size, f.Block.Addr)
	}
	fmt.Fprintf(&b, " in context %q", f.Context)
	if len(f.Got) > 0 {
		fmt.Fprintf(&b, ": byte %d is % x, want % x", f.Offset, f.Got, f.Want)
	}
	if f.Hint != "" {
		fmt.Fprintf(&b, " (%s)", f.Hint)
	}
	for _, s := range []struct {
		what  string
		stack *Stack
	}{{"created", f.Created}, {"allocated", f.Allocated}, {"freed", f.Freed}} {
		if s.stack != nil {
			fmt.Fprintf(&b, "\n%s at\n%s", s.what, s.stack.trimmed())
		}
	}
	return b.String()
}

// Is reports whether target is the fault's [Kind].
func (f *Fault) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == f.Kind
}
