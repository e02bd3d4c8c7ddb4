package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Where the code of the pages lies that consist of quotations, and those pages.
const tutorial = "examples/tutorial"

var quotingPages = []string{"docs/TUTORIAL.md", "docs/LIFETIMES.md"}

// A block of Go in such a page says behind its language what it quotes: the names
// of declarations, those of a program in testdata behind its folder's, as in
// "copied.main".
var quotation = regexp.MustCompile("(?ms)^```go([^\n]*)\n(.*?)^```$")

// quotable returns the text of each declaration by its name: all of it with its
// comment, but of an example only what is in its braces. Names of methods stand
// behind that of their type.
func quotable(sources []*source) map[string]string {
	texts := map[string]string{}
	for _, s := range sources {
		prefix := ""
		if s.dir() != tutorial {
			prefix = path.Base(s.dir()) + "."
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				name, text := d.Name.Name, s.between(commented(d, d.Doc), d.End())
				if d.Recv != nil {
					name = receiver(d) + "." + name
				}
				if strings.HasPrefix(name, "Example") {
					text = dedent(s.between(d.Body.Lbrace+2, d.Body.Rbrace))
				}
				texts[prefix+name] = text
			case *ast.GenDecl:
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
					texts[prefix+spec.Name.Name] = s.between(commented(d, d.Doc), d.End())
				}
			}
		}
	}
	return texts
}

// commented returns where a declaration begins with its comment.
func commented(d ast.Decl, doc *ast.CommentGroup) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return d.Pos()
}

// dedent takes a tab off the start of every line.
func dedent(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:], "\n")
}

// misquotations complains about blocks of code that are not what they are said to
// be, and about examples and programs that no page quotes.
func misquotations(pages []*source, texts map[string]string) (complaints []string) {
	quoted := map[string]bool{}
	for _, page := range pages {
		for _, m := range quotation.FindAllStringSubmatch(string(page.text), -1) {
			names := strings.Fields(m[1])
			var want []string
			for _, name := range names {
				quoted[name], quoted[programOf(name)] = true, true
				if _, ok := texts[name]; !ok {
					complaints = append(complaints, fmt.Sprintf("%s: there is no %s in %s", page.path, name, tutorial))
				}
				want = append(want, texts[name])
			}
			switch {
			case len(names) == 0:
				complaints = append(complaints, fmt.Sprintf("%s: a block does not say what it quotes:\n%s", page.path, m[2]))
			case m[2] != strings.Join(want, "\n\n")+"\n":
				complaints = append(complaints, fmt.Sprintf("%s: the code of %s is\n%s", page.path, strings.Join(names, " and "), strings.Join(want, "\n\n")))
			}
		}
	}
	var missing []string
	for name := range texts {
		if p := programOf(name); p != "" && !quoted[p] {
			missing = append(missing, "program "+p)
		} else if strings.HasPrefix(name, "Example") && !quoted[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range slices.Compact(missing) {
		complaints = append(complaints, fmt.Sprintf("%s: no page quotes %s", tutorial, name))
	}
	return complaints
}

// programOf returns the folder in a name, "" if there is none. A method's type is
// no program: those have names that begin with a small letter and so have types,
// but only programs have a main.
func programOf(name string) string {
	before, what, ok := strings.Cut(name, ".")
	if !ok || !slices.Contains(mistakeNames(), before) || what == "" {
		return ""
	}
	return before
}

// tutorialSources returns the files of the tutorial, and the programs in its test
// data, which are no part of the tree.
func tutorialSources(t *testing.T) []*source {
	t.Helper()
	sources := slices.DeleteFunc(goFiles(theTree(t)), func(s *source) bool { return s.dir() != tutorial })
	for _, m := range mistakes {
		name := path.Join(tutorial, "testdata", m.program, "main.go")
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, newSource(t, name, string(text)))
	}
	return sources
}

func TestPagesQuoteCode(t *testing.T) {
	var pages []*source
	for _, name := range quotingPages {
		pages = append(pages, newSource(t, name, document(t, name)))
	}
	sources := tutorialSources(t)
	holds(t, misquotations(pages, quotable(sources)))
	holds(t, unformatted(sources)) // those in testdata are no part of the tree
}

func TestPagesQuoteCodeCanFail(t *testing.T) {
	const text = "package tutorial\n\n// node is one.\ntype node struct{}\n\nfunc Example_one() {\n\tif true {\n\t\tprintln(1)\n\t}\n\t// Output:\n\t// 1\n}\n"
	sources := []*source{
		newSource(t, tutorial+"/x_test.go", text),
		newSource(t, tutorial+"/testdata/copied/main.go", "package main\n\nfunc main() {\n}\n"),
	}
	texts := quotable(sources)
	const good = "```go node Example_one\n// node is one.\ntype node struct{}\n\nif true {\n\tprintln(1)\n}\n// Output:\n// 1\n```\n\nand\n\n```go copied.main\nfunc main() {\n}\n```\n"
	page := func(old, by string) []*source {
		return []*source{newSource(t, "docs/A.md", strings.Replace(good, old, by, 1))}
	}
	holds(t, misquotations(page("", ""), texts))
	fails(t, misquotations(page("println(1)", "println(2)"), texts), "the code of node and Example_one is\n// node is one")
	fails(t, misquotations(page("// 1\n", "// 2\n"), texts), "the code of node and Example_one is")
	fails(t, misquotations(page("go copied.main", "go copied.mian"), texts)[:1], "there is no copied.mian")
	fails(t, misquotations(append(page("", ""), newSource(t, "docs/B.md", "```go\nx := 1\n```\n")), texts), "does not say what it quotes")
	fails(t, misquotations(page("```go copied.main\nfunc main() {\n}\n```\n", ""), texts), "no page quotes program copied")
	const short = "```go node\n// node is one.\ntype node struct{}\n```\n\n```go copied.main\nfunc main() {\n}\n```\n"
	fails(t, misquotations([]*source{newSource(t, "docs/A.md", short)}, texts), "no page quotes Example_one")
}
