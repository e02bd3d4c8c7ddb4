package lint

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shown are the folders whose exported types must be shown in use.
var shown = []string{"segment", "tree", "diag", "bins", "memctx", "memtest", "stream", "offheap"}

// outputComment is what makes the go command run an example.
var outputComment = regexp.MustCompile(`(?m)^\s*// (Output|Unordered output):`)

// withoutExample complains about exported types without an example that the tests
// run: one with the type's name, or one of its methods' or of its variations.
func withoutExample(tree []*source) (complaints []string) {
	examples := map[string]bool{} // behind the folder, by the type
	types := map[string]string{}  // where they are declared
	for _, s := range goFiles(tree) {
		if !slices.Contains(shown, s.dir()) {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				what, isExample := strings.CutPrefix(d.Name.Name, "Example")
				if s.isTest() && isExample && outputComment.MatchString(s.between(d.Pos(), d.End())) {
					what, _, _ = strings.Cut(what, "_")
					examples[s.dir()+"."+what] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok && typ.Name.IsExported() && !s.isTest() {
						types[s.dir()+"."+typ.Name.Name] = s.at(typ)
					}
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if !examples[name] {
			complaints = append(complaints, fmt.Sprintf("%s: no example with output shows %s", types[name], name))
		}
	}
	return complaints
}

func TestTypesHaveExamples(t *testing.T) { holds(t, withoutExample(theTree(t))) }

func TestTypesHaveExamplesCanFail(t *testing.T) {
	const example = "package tree_test\n\nfunc ExampleKind_String() {\n\t// Output: rb\n}\n"
	tree := func(test string) []*source {
		return []*source{
			newSource(t, "tree/x.go", "package tree\n\ntype Kind int\n\ntype node struct{}\n"),
			newSource(t, "tree/x_test.go", test),
			newSource(t, "cmd/x/x.go", "package main\n\ntype Other int\n"),
		}
	}
	holds(t, withoutExample(tree(example)))
	fails(t, withoutExample(tree(strings.Replace(example, "Output:", "prints", 1))), "tree/x.go:3: no example with output shows tree.Kind")
	fails(t, withoutExample(tree(strings.Replace(example, "ExampleKind", "ExampleTree", 1))), "shows tree.Kind")
}
