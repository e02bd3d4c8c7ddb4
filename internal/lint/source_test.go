package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/cookmem-go/cookmem"
	root   = "../.."
)

// source is one text file of the tree.
type source struct {
	path string // from the root, with slashes
	text []byte
	fset *token.FileSet
	file *ast.File // nil if it is not Go
}

// newSource parses a file. Text that is not Go where it should be is a failure.
func newSource(t *testing.T, name, text string) *source {
	t.Helper()
	s := &source{path: name, text: []byte(text), fset: token.NewFileSet()}
	if s.isGo() {
		file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.file = file
	}
	return s
}

func (s *source) isGo() bool   { return strings.HasSuffix(s.path, ".go") }
func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) dir() string  { return path.Dir(s.path) }

// at returns the place of a node for a complaint.
func (s *source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.line(n.Pos()))
}

func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

// between returns a part of the source's text.
func (s *source) between(from, to token.Pos) string {
	return string(s.text[s.fset.Position(from).Offset:s.fset.Position(to).Offset])
}

// imports returns the paths that the file imports.
func (s *source) imports() (paths []string) {
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

// goFiles returns the sources that are Go.
func goFiles(tree []*source) []*source {
	return slices.DeleteFunc(slices.Clone(tree), func(s *source) bool { return !s.isGo() })
}

// textEndings are those of the files that are read; a file without any is read
// if it has one of textNames.
var (
	textEndings = []string{".go", ".md", ".sh", ".mod", ".json"}
	textNames   = []string{"Makefile", "run"}
)

// readTree returns the text files of the main module. Folders of other modules,
// of test data and hidden ones other than .ci are left out.
func readTree(t *testing.T) []*source {
	t.Helper()
	var tree []*source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && skipped(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains(textEndings, path.Ext(rel)) && !slices.Contains(textNames, d.Name()) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree = append(tree, newSource(t, rel, string(text)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func skipped(name, base string) bool {
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	hidden := strings.HasPrefix(base, ".") && base != ".ci"
	return err == nil || hidden || base == "testdata"
}

var shared struct {
	once sync.Once
	tree []*source
}

// theTree returns the tree, read once. Rules do not change it.
func theTree(t *testing.T) []*source {
	t.Helper()
	shared.once.Do(func() { shared.tree = readTree(t) })
	if len(goFiles(shared.tree)) < 20 {
		t.Fatalf("only %d Go files were found from %s", len(goFiles(shared.tree)), root)
	}
	return shared.tree
}

// document returns the text of a file of the tree.
func document(t *testing.T, name string) string {
	t.Helper()
	for _, s := range theTree(t) {
		if s.path == name {
			return string(s.text)
		}
	}
	t.Fatalf("%s is missing", name)
	return ""
}

// holds reports every complaint of a rule as an error.
func holds(t *testing.T, complaints []string) {
	t.Helper()
	for _, c := range complaints {
		t.Error(c)
	}
}

// fails requires that a rule has exactly one complaint about a bad example, and
// that it says so.
func fails(t *testing.T, complaints []string, say string) {
	t.Helper()
	if len(complaints) != 1 || !strings.Contains(complaints[0], say) {
		t.Errorf("the rule says %q of the bad example, want one complaint with %q", complaints, say)
	}
}

// goCommand runs the go command in the root and returns what it printed.
func goCommand(env []string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
