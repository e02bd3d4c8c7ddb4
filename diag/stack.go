package diag

import (
	"fmt"
	"runtime"
	"strings"
)

// stackDepth is the number of calls that a Stack can hold. The memory contexts'
// own are among them, until it is printed.
const stackDepth = 20

// Stack is the calls that were under way at some moment, innermost first. A nil
// *Stack is one that nobody recorded.
type Stack struct {
	pcs   [stackDepth]uintptr
	count int
}

// frames returns the calls, without those of a context's methods at its start:
// whoever reads it wants to know who called them.
func (s *Stack) frames() (frames []runtime.Frame) {
	if s == nil {
		return nil
	}
	next := runtime.CallersFrames(s.pcs[:s.count])
	for {
		f, more := next.Next()
		if f.Function != "" && (len(frames) > 0 || !isOurs(f.Function)) {
			frames = append(frames, f)
		}
		if !more {
			return frames
		}
	}
}

// isOurs reports whether a function is one of the heap's.
func isOurs(function string) bool {
	_, name, ours := strings.Cut(function, "cookmem/memctx.")
	return ours && (strings.HasPrefix(name, "(*") || strings.HasPrefix(name, "New") || strings.HasPrefix(name, "Scope"))
}

// Site returns the innermost call as "function (file:line)", empty for nil.
func (s *Stack) Site() string {
	frames := s.frames()
	if len(frames) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s:%d)", frames[0].Function, frames[0].File, frames[0].Line)
}

// String returns the calls as the runtime prints them, two lines each, empty for
// nil.
func (s *Stack) String() string {
	var b strings.Builder
	for _, f := range s.frames() {
		fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
	}
	return b.String()
}

// trimmed is String without the last end of line.
func (s *Stack) trimmed() string { return strings.TrimSuffix(s.String(), "\n") }

// Stacks records stacks and keeps one of each, however often it occurs. The zero
// value is ready. It is used by one goroutine at a time.
type Stacks struct {
	known map[[stackDepth]uintptr]*Stack
}

// Here returns the stack of the caller's caller, without the skip innermost
// calls. It allocates memory only for a stack that it has not seen before.
func (d *Stacks) Here(skip int) *Stack {
	var s Stack
	s.count = runtime.Callers(skip+3, s.pcs[:])
	if known := d.known[s.pcs]; known != nil {
		return known
	}
	if d.known == nil {
		d.known = map[[stackDepth]uintptr]*Stack{}
	}
	kept := s
	d.known[kept.pcs] = &kept
	return &kept
}
