package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unformatted complains about files that gofmt would change.
func unformatted(tree []*source) (complaints []string) {
	for _, s := range goFiles(tree) {
		if formatted, err := format.Source(s.text); err != nil || !bytes.Equal(formatted, s.text) {
			complaints = append(complaints, s.path+": is not formatted; run gofmt -w "+s.path)
		}
	}
	return complaints
}

func TestFormatted(t *testing.T) { holds(t, unformatted(theTree(t))) }

func TestFormattedCanFail(t *testing.T) {
	fails(t, unformatted([]*source{newSource(t, "a.go", "package a\nvar  x = 1\n")}), "a.go: is not formatted")
}

// marks are the words of work that is not finished. They are put together here
// so that this file has none.
var marks = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// unfinished complains about marks of unfinished work in any text.
func unfinished(tree []*source) (complaints []string) {
	for _, s := range tree {
		for i, line := range strings.Split(string(s.text), "\n") {
			if m := marks.FindString(line); m != "" {
				complaints = append(complaints, fmt.Sprintf("%s:%d: %s: finish it or write an issue", s.path, i+1, m))
			}
		}
	}
	return complaints
}

func TestNothingUnfinished(t *testing.T) { holds(t, unfinished(theTree(t))) }

func TestNothingUnfinishedCanFail(t *testing.T) {
	fails(t, unfinished([]*source{newSource(t, "a.md", "one\n<!-- FIX"+"ME later -->\n")}), "a.md:2")
	fails(t, unfinished([]*source{newSource(t, "a.go", "package a // TO"+"DO(me)\n")}), "a.go:1")
}

// undocumented complains about exported names without a comment that begins
// with them, in all code but tests.
func undocumented(tree []*source) (complaints []string) {
	for _, s := range goFiles(tree) {
		if s.isTest() {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				complaints = append(complaints, undocumentedFunc(s, d)...)
			case *ast.GenDecl:
				complaints = append(complaints, undocumentedSpecs(s, d)...)
			}
		}
	}
	return complaints
}

func undocumentedFunc(s *source, d *ast.FuncDecl) []string {
	if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(receiver(d)) {
		return nil
	}
	if beginsWith(d.Doc, d.Name.Name) {
		return nil
	}
	return []string{fmt.Sprintf("%s: the comment of %s must begin with its name", s.at(d), d.Name.Name)}
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	for typ := d.Recv.List[0].Type; ; {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func undocumentedSpecs(s *source, d *ast.GenDecl) (complaints []string) {
	for _, spec := range d.Specs {
		var names []*ast.Ident
		documented := false
		switch x := spec.(type) {
		case *ast.TypeSpec:
			names = []*ast.Ident{x.Name}
			documented = beginsWith(x.Doc, x.Name.Name) || !d.Lparen.IsValid() && beginsWith(d.Doc, x.Name.Name)
		case *ast.ValueSpec:
			names = x.Names
			documented = valueDocumented(d, x)
		}
		exported := func(i *ast.Ident) bool { return i.IsExported() }
		if i := slices.IndexFunc(names, exported); i >= 0 && !documented {
			complaints = append(complaints, fmt.Sprintf("%s: the comment of %s must begin with its name", s.at(spec), names[i].Name))
		}
	}
	return complaints
}

// valueDocumented accepts a comment of its own that begins with the name, or
// for members of a group the group's comment or one on the same line.
func valueDocumented(d *ast.GenDecl, x *ast.ValueSpec) bool {
	if !d.Lparen.IsValid() {
		return beginsWith(d.Doc, x.Names[0].Name)
	}
	if x.Doc != nil {
		return beginsWith(x.Doc, x.Names[0].Name)
	}
	return x.Comment != nil || d.Doc != nil
}

// beginsWith reports whether a comment begins with the name, perhaps behind an
// article.
func beginsWith(doc *ast.CommentGroup, name string) bool {
	words := strings.Fields(doc.Text())
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	return len(words) > 1 && strings.TrimRight(words[0], ":,") == name
}

func TestExportedNamesAreDocumented(t *testing.T) { holds(t, undocumented(theTree(t))) }

func TestExportedNamesAreDocumentedCanFail(t *testing.T) {
	for _, bad := range []string{
		"func F() {}",
		"// Does it.\nfunc F() {}",
		"// F.\nfunc F() {}",
		"type f struct{}\n\n// F is one.\ntype F struct{}\n\n// Does it.\nfunc (*F) M() {}",
		"type F[T any] struct{}",
		"const F = 1",
		"var (\n\tF = 1\n)",
		"var (\n\t// It is one.\n\tF = 1\n)",
	} {
		fails(t, undocumented([]*source{newSource(t, "a.go", "package a\n\n"+bad)}), "must begin with its name")
	}
	good := "package a\n\n// F does it.\nfunc F() {}\n\ntype f struct{}\n\nfunc (f) M() {}\n\n// Two are two.\nconst (\n\tA = 1\n\tB = 2 // the other\n)\n"
	holds(t, undocumented([]*source{newSource(t, "a.go", good)}))
}

// withoutEssay complains about packages that do not have exactly one comment,
// in the form that go doc expects.
func withoutEssay(tree []*source) (complaints []string) {
	essays := map[string][]string{}
	for _, s := range goFiles(tree) {
		if s.isTest() {
			continue
		}
		essays[s.dir()] = append(essays[s.dir()], "")
		if s.file.Doc == nil {
			continue
		}
		first, _, _ := strings.Cut(s.file.Doc.Text(), "\n")
		if name := s.file.Name.Name; name != "main" && !strings.HasPrefix(first, "Package "+name+" ") {
			complaints = append(complaints, fmt.Sprintf("%s: the package comment must begin with Package %s", s.path, name))
		}
		essays[s.dir()] = append(essays[s.dir()], s.path)
	}
	for dir, paths := range essays {
		paths = slices.DeleteFunc(paths, func(p string) bool { return p == "" })
		if len(paths) != 1 {
			complaints = append(complaints, fmt.Sprintf("%s: %d files have a package comment, want one: %q", dir, len(paths), paths))
		}
	}
	slices.Sort(complaints)
	return complaints
}

func TestPackagesHaveAnEssay(t *testing.T) { holds(t, withoutEssay(theTree(t))) }

func TestPackagesHaveAnEssayCanFail(t *testing.T) {
	fails(t, withoutEssay([]*source{newSource(t, "a/a.go", "package a\n")}), "a: 0 files")
	fails(t, withoutEssay([]*source{newSource(t, "a/a.go", "// It is a package.\npackage a\n")}), "must begin with Package a")
	twice := []*source{newSource(t, "a/a.go", "// Package a is.\npackage a\n"), newSource(t, "a/b.go", "// Package a is.\npackage a\n")}
	fails(t, withoutEssay(twice), "a: 2 files")
}
