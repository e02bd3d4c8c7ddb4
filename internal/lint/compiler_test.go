package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cookmem-go/cookmem/internal/chunk"
)

// note is a line that the compiler printed under -m.
type note struct {
	path string // from the root, with slashes
	line int
	text string
}

var noteLine = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):\d+: (.*)$`)

func parseNotes(output string) (notes []note) {
	for _, m := range noteLine.FindAllStringSubmatch(strings.ReplaceAll(output, `\`, "/"), -1) {
		line, _ := strconv.Atoi(m[2])
		notes = append(notes, note{m[1], line, m[3]})
	}
	return notes
}

// compiled are the packages whose notes are read.
var compiled = []string{"./memctx", "./bins", "./internal/raw", "./internal/chunk"}

var compilerNotes = sync.OnceValues(func() ([]note, error) {
	_, output, err := goCommand(nil, append([]string{"build", "-gcflags=-m=1"}, compiled...)...)
	if err != nil {
		// Once more without the notes, among which errors drown.
		_, errs, _ := goCommand(nil, append([]string{"build"}, compiled...)...)
		return nil, fmt.Errorf("go build: %w\n%s", err, errs)
	}
	return parseNotes(output), nil
})

func theNotes(t *testing.T) []note {
	t.Helper()
	notes, err := compilerNotes()
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

// inlined are the functions whose cost is stated as a few instructions, by
// folder. Each is called for every block.
var inlined = map[string][]string{
	"internal/raw":   {"Load", "Store", "Load8", "Store8", "Load16", "Load8At", "Load16At", "Link", "Unlink", "AddrOf", "Addr.Pointer"},
	"internal/chunk": {"Read", "Make", "Block", "OfBlock", "Class", "HasTag", "SetLive", "SetCached", "Head.Size", "Head.State"},
	"bins":           {"ForRequest", "ForChunk", "OfLive", "SizeOf", "(*List).Push", "(*List).Pop", "(*Lists).Of"},
}

// notInlinable complains about functions that the compiler does not inline.
func notInlinable(want map[string][]string, notes []note) (complaints []string) {
	can := map[string]bool{}
	for _, n := range notes {
		if name, ok := strings.CutPrefix(n.text, "can inline "); ok {
			name, _, _ = strings.Cut(name, " with cost")
			can[n.path[:strings.LastIndex(n.path, "/")]+" "+name] = true
		}
	}
	for dir, names := range want {
		for _, name := range names {
			if !can[dir+" "+name] {
				complaints = append(complaints, fmt.Sprintf("%s: %s is not inlined any more", dir, name))
			}
		}
	}
	slices.Sort(complaints)
	return complaints
}

func TestSmallFunctionsAreInlined(t *testing.T) { holds(t, notInlinable(inlined, theNotes(t))) }

func TestSmallFunctionsAreInlinedCanFail(t *testing.T) {
	notes := parseNotes("bins/class.go:58:6: can inline ForRequest\nbins/quick.go:27:6: cannot inline (*List).Push\n")
	want := map[string][]string{"bins": {"ForRequest", "(*List).Push"}}
	fails(t, notInlinable(want, notes), "(*List).Push is not inlined")
}

// calls complains about calls in the body of a method that remain calls. What
// the method calls on its own receiver is a slow path, which should be one.
func calls(s *source, method string, notes []note) (complaints []string) {
	d := findMethod(s, method)
	if d == nil {
		return []string{s.path + ": there is no method " + method}
	}
	self := d.Recv.List[0].Names[0].Name
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if f, ok := n.(*ast.IfStmt); ok {
			switch wide, known := wideWords(f.Cond); {
			case known && wide:
				ast.Inspect(f.Body, visit) // the other branch is not compiled here
				return false
			case known:
				return false // nor is this one
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok && (x.Name == self || slices.Contains(conversions, x.Name+"."+f.Sel.Name)) {
				return true
			}
			name = f.Sel.Name
		}
		if slices.Contains(conversions, name) {
			return true
		}
		if !slices.ContainsFunc(notes, func(n note) bool { return tellsInlining(n, s, call, name) }) {
			complaints = append(complaints, fmt.Sprintf("%s: %s calls %s, which is not inlined there", s.at(call), method, name))
		}
		return true
	}
	ast.Inspect(d.Body, visit)
	return complaints
}

// wideWords tells what a condition is that begins with, or is, the constant that is
// true where heads have room for a class, as they have where this test runs. A
// conjunction of it with something else is not known, unless it is false.
func wideWords(cond ast.Expr) (value, known bool) {
	switch c := cond.(type) {
	case *ast.BinaryExpr:
		value, known = wideWords(c.X)
		return value, known && !value && c.Op == token.LAND
	case *ast.UnaryExpr:
		value, known = wideWords(c.X)
		return !value, known && c.Op == token.NOT
	case *ast.SelectorExpr:
		return chunk.HasClasses, c.Sel.Name == "HasClasses"
	}
	return false, false
}

// conversions look like calls, and so do functions that are an instruction.
var conversions = []string{"len", "int", "uint", "uintptr", "raw.Addr", "chunk.Head", "unsafe.Pointer", "bits.RotateLeft"}

func tellsInlining(n note, s *source, call *ast.CallExpr, name string) bool {
	called, ok := strings.CutPrefix(n.text, "inlining call to ")
	return ok && n.path == s.path && n.line >= s.line(call.Pos()) && n.line <= s.line(call.End()) &&
		(called == name || strings.HasSuffix(called, "."+name))
}

func findMethod(s *source, name string) *ast.FuncDecl {
	for _, decl := range s.file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == name {
			return d
		}
	}
	return nil
}

// escapes complains about values that a method puts on the Go heap.
func escapes(s *source, method string, notes []note) (complaints []string) {
	d := findMethod(s, method)
	if d == nil {
		return []string{s.path + ": there is no method " + method}
	}
	for _, n := range notes {
		heap := strings.Contains(n.text, "escapes to heap") || strings.HasPrefix(n.text, "moved to heap")
		if heap && n.path == s.path && n.line >= s.line(d.Pos()) && n.line <= s.line(d.End()) {
			complaints = append(complaints, fmt.Sprintf("%s:%d: %s: %s", n.path, n.line, method, n.text))
		}
	}
	return complaints
}

func TestShortWaysAreShort(t *testing.T) {
	for _, at := range []struct{ path, method string }{{"memctx/alloc.go", "Alloc"}, {"memctx/free.go", "Free"}, {"memctx/realloc.go", "Realloc"}} {
		s := newSource(t, at.path, document(t, at.path))
		holds(t, calls(s, at.method, theNotes(t)))
		holds(t, escapes(s, at.method, theNotes(t)))
	}
}

func TestShortWaysAreShortCanFail(t *testing.T) {
	s := newSource(t, "memctx/free.go", `package memctx

func (mc *Context) Free(b raw.Addr) {
	head := chunk.Read(b, mc.tag)
	mc.freeChecked(uintptr(head))
}
`)
	inlining := "memctx/free.go:4:20: inlining call to chunk.Read\n"
	escaping := "./memctx/free.go:4:12: head escapes to heap\n"
	holds(t, calls(s, "Free", parseNotes(inlining)))
	fails(t, calls(s, "Free", parseNotes("memctx/alloc.go:4:20: inlining call to chunk.Read\n")), "Free calls Read")
	fails(t, calls(s, "Free", parseNotes("memctx/free.go:4:20: inlining call to chunk.ReadOther\n")), "Free calls Read")
	fails(t, calls(s, "Alloc", nil), "there is no method Alloc")
	plain := newSource(t, "memctx/free.go", "package memctx\n\nfunc (mc *Context) Free() { keeps(uint(1)) }\n")
	fails(t, calls(plain, "Free", nil), "Free calls keeps")
	const either = "package memctx\n\nfunc (mc *Context) Free() {\n\tif %s {\n\t\tnarrow()\n\t}\n}\n"
	for cond, compiled := range map[string]bool{"chunk.HasClasses && a": true, "a && !chunk.HasClasses": true, "!chunk.HasClasses && a": false, "!chunk.HasClasses": false} {
		s := newSource(t, "memctx/free.go", fmt.Sprintf(either, cond))
		if got := len(calls(s, "Free", nil)) > 0; got != compiled {
			t.Errorf("if %s: looked into is %v", cond, got)
		}
	}
	holds(t, escapes(s, "Free", parseNotes(inlining)))
	fails(t, escapes(s, "Free", parseNotes(escaping)), "memctx/free.go:4: Free: head escapes to heap")
	fails(t, escapes(s, "Alloc", nil), "there is no method Alloc")
}
