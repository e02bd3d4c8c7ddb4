package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// floors tells on which floor a folder stands. Imports point strictly down.
// Programs and examples are on the highest one.
var floors = map[string]int{
	"internal/raw":          0,
	"internal/invariants":   0,
	"internal/chunk":        1,
	"segment":               1,
	"bins":                  2,
	"tree":                  2,
	"diag":                  2,
	"internal/segtest":      2,
	"memctx":                3,
	"memtest":               5,
	"memctx/internal/model": 4,
	"stream":                4,
	"offheap":               4,
	"internal/lint":         6,
}

const programFloor = 5

// siblings are imports on one floor that are allowed, as "importer imported".
// So far nobody needs one.
var siblings = []string{}

// testOnly are packages that help tests. Only tests may import them, on whatever
// floor, and those of them that stand higher.
var testOnly = []string{"internal/segtest", "memctx/internal/model", "memtest"}

// isProgram reports whether the folder belongs to a command or an example.
func isProgram(dir string) bool {
	return strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "examples/")
}

func floorOf(dir string) (int, bool) {
	if isProgram(dir) {
		return programFloor, true
	}
	floor, ok := floors[dir]
	return floor, ok
}

// program returns the command or example that the folder belongs to, or "".
func program(dir string) string {
	if !isProgram(dir) {
		return ""
	}
	parts := strings.Split(dir, "/")
	return path.Join(parts[0], parts[1])
}

// arrows complains about imports of our own that do not point down.
func arrows(tree []*source) (complaints []string) {
	for _, s := range goFiles(tree) {
		if _, ok := floorOf(s.dir()); !ok {
			complaints = append(complaints, fmt.Sprintf("%s: folder %s has no floor; give it one in internal/lint", s.path, s.dir()))
			continue
		}
		for _, p := range s.imports() {
			if to, ours := strings.CutPrefix(p, module+"/"); ours && !mayImport(s, to) {
				complaints = append(complaints, fmt.Sprintf("%s: %s imports %s, which is not below it", s.path, s.dir(), to))
			}
		}
	}
	return complaints
}

func mayImport(s *source, to string) bool {
	from := s.dir()
	if slices.Contains(testOnly, to) && !slices.Contains(testOnly, from) {
		return s.isTest()
	}
	if s.isTest() && from == to || program(from) != "" && program(from) == program(to) {
		return true
	}
	high, _ := floorOf(from)
	low, ok := floorOf(to)
	return ok && low < high || slices.Contains(siblings, from+" "+to)
}

func TestImportsPointDown(t *testing.T) { holds(t, arrows(theTree(t))) }

func TestImportsPointDownCanFail(t *testing.T) {
	for _, bad := range []struct{ path, imported, say string }{
		{"diag/x.go", "memctx", "diag imports memctx"},
		{"segment/x_test.go", "memctx", "segment imports memctx"},
		{"bins/x.go", "tree", "bins imports tree"},
		{"memctx/x.go", "internal/segtest", "memctx imports internal/segtest"},
		{"memctx/x_test.go", "offheap", "memctx imports offheap"},
		{"internal/segtest/x.go", "memctx/internal/model", "segtest imports memctx/internal/model"},
		{"memctx/x.go", "cmd/perfsuite/internal/stat", "memctx imports cmd"},
		{"newcomer/x.go", "internal/raw", "newcomer has no floor"},
	} {
		text := fmt.Sprintf("package x\nimport _ %q\n", module+"/"+bad.imported)
		fails(t, arrows([]*source{newSource(t, bad.path, text)}), bad.say)
	}
	for _, good := range []struct{ path, imported string }{
		{"segment/x.go", "internal/raw"},
		{"segment/x_test.go", "internal/segtest"},
		{"memctx/x_test.go", "memctx"},
		{"memctx/internal/model/x.go", "internal/segtest"},
		{"cmd/perfsuite/x.go", "cmd/perfsuite/internal/stat"},
	} {
		text := fmt.Sprintf("package x\nimport _ %q\n", module+"/"+good.imported)
		holds(t, arrows([]*source{newSource(t, good.path, text)}))
	}
}

// unsafeCode are the folders whose code may import unsafe. Elsewhere it may not,
// and in safeTests not even tests may.
var (
	unsafeCode = []string{"internal/raw", "segment", "memctx", "offheap"}
	safeTests  = []string{"internal/chunk", "bins", "tree", "diag"}
)

// unsafeImports complains about unsafe where it is not allowed and about cgo,
// which is unsafe as well, anywhere.
func unsafeImports(tree []*source) (complaints []string) {
	for _, s := range goFiles(tree) {
		for _, p := range s.imports() {
			if p == "C" || p == "unsafe" && !mayBeUnsafe(s) {
				complaints = append(complaints, fmt.Sprintf("%s: imports %q, which %s must not", s.path, p, s.dir()))
			}
		}
	}
	return complaints
}

func mayBeUnsafe(s *source) bool {
	if s.isTest() {
		return !slices.Contains(safeTests, s.dir())
	}
	// The workloads write into the blocks that they measure.
	return slices.Contains(unsafeCode, s.dir()) || isProgram(s.dir())
}

func TestUnsafeStaysConfined(t *testing.T) { holds(t, unsafeImports(theTree(t))) }

func TestUnsafeStaysConfinedCanFail(t *testing.T) {
	const text = "package x\nimport _ \"unsafe\"\n"
	for _, p := range []string{"bins/x.go", "bins/x_test.go", "internal/chunk/x.go", "diag/x.go", "tree/x.go"} {
		fails(t, unsafeImports([]*source{newSource(t, p, text)}), `imports "unsafe"`)
	}
	fails(t, unsafeImports([]*source{newSource(t, "memctx/x.go", "package x\nimport \"C\"\n")}), `imports "C"`)
	holds(t, unsafeImports([]*source{newSource(t, "internal/raw/x.go", text)}))
}

// libraries says which module of others which folders of the library may
// import. Programs, test helpers and tests may import any that go.mod requires.
var libraries = map[string][]string{
	"golang.org/x/sys":        {"segment"},
	"github.com/google/btree": {"segment"},
}

// foreign complains about modules of others in the library.
func foreign(tree []*source) (complaints []string) {
	for _, s := range goFiles(tree) {
		if s.isTest() || isProgram(s.dir()) || slices.Contains(testOnly, s.dir()) {
			continue
		}
		for _, p := range s.imports() {
			if isOthers(p) && !slices.Contains(libraries[moduleOf(p)], s.dir()) {
				complaints = append(complaints, fmt.Sprintf("%s: %s must not import %s", s.path, s.dir(), p))
			}
		}
	}
	return complaints
}

// isOthers reports whether an import path is neither ours nor the standard
// library's: only the latter's have no dot in their first element.
func isOthers(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return strings.Contains(first, ".") && p != module && !strings.HasPrefix(p, module+"/")
}

// moduleOf returns the module among libraries that holds the package, or "".
func moduleOf(p string) string {
	for m := range libraries {
		if p == m || strings.HasPrefix(p, m+"/") {
			return m
		}
	}
	return ""
}

func TestForeignModulesStayConfined(t *testing.T) { holds(t, foreign(theTree(t))) }

func TestForeignModulesStayConfinedCanFail(t *testing.T) {
	for p, imported := range map[string]string{
		"memctx/x.go":  "github.com/google/btree",
		"segment/x.go": "github.com/emirpasic/gods/trees/redblacktree",
		"tree/x.go":    "golang.org/x/sys/unix",
	} {
		text := fmt.Sprintf("package x\nimport _ %q\n", imported)
		fails(t, foreign([]*source{newSource(t, p, text)}), "must not import "+imported)
	}
	holds(t, foreign([]*source{newSource(t, "segment/x.go", "package x\nimport _ \"golang.org/x/sys/unix\"\n")}))
}

// strangers complains about dependencies of the library that are neither the
// standard library's, nor ours, nor in libraries.
func strangers(deps string) (complaints []string) {
	for p := range strings.FieldsSeq(deps) {
		if isOthers(p) && moduleOf(p) == "" {
			complaints = append(complaints, "memctx depends on "+p)
		}
	}
	return complaints
}

func TestDependencies(t *testing.T) {
	for _, system := range []string{"linux/amd64", "windows/386", "darwin/arm64", "js/wasm"} {
		goos, goarch, _ := strings.Cut(system, "/")
		deps, errs, err := goCommand([]string{"GOOS=" + goos, "GOARCH=" + goarch}, "list", "-deps", "./memctx")
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, errs)
		}
		if !strings.Contains(deps, module+"/memctx") {
			t.Fatalf("go list on %s does not know memctx:\n%s", system, deps)
		}
		holds(t, strangers(deps))
	}
}

func TestDependenciesCanFail(t *testing.T) {
	deps := "unsafe\nruntime\ngolang.org/x/sys/unix\n" + module + "/bins\ngithub.com/emirpasic/gods/utils\n"
	fails(t, strangers(deps), "gods")
}
