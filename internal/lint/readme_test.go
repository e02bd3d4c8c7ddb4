package lint

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// example is a complete program in a document and what the document says that
// it prints: the text block behind it.
type example struct{ code, prints string }

var exampleBlock = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n(?:[^`]*?```text\n(.*?)```)?")

func examples(doc string) (found []example) {
	for _, m := range exampleBlock.FindAllStringSubmatch(doc, -1) {
		found = append(found, example{m[1], m[2]})
	}
	return found
}

// broken complains about examples that do not run or print something else. An
// overlay shows them to the go command as a package of this module.
func broken(t *testing.T, found []example) (complaints []string) {
	t.Helper()
	for _, e := range found {
		name := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(name, []byte(e.code), 0o644); err != nil {
			t.Fatal(err)
		}
		where, err := filepath.Abs(filepath.Join(root, "internal", "readme", "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{where: name}})
		if err != nil {
			t.Fatal(err)
		}
		list := filepath.Join(t.TempDir(), "overlay.json")
		if err := os.WriteFile(list, overlay, 0o644); err != nil {
			t.Fatal(err)
		}
		out, errs, err := goCommand(nil, "run", "-overlay="+list, "./internal/readme")
		switch {
		case err != nil:
			complaints = append(complaints, fmt.Sprintf("the program does not run: %v\n%s\n%s", err, errs, e.code))
		case strings.TrimSpace(out) != strings.TrimSpace(e.prints):
			complaints = append(complaints, fmt.Sprintf("the program prints\n%s\nnot\n%s", out, e.prints))
		}
	}
	return complaints
}

func TestReadmeProgramRuns(t *testing.T) {
	found := examples(document(t, "README.md"))
	if len(found) == 0 {
		t.Fatal("README.md has no program")
	}
	holds(t, broken(t, found))
}

func TestReadmeProgramRunsCanFail(t *testing.T) {
	const doc = "Here:\n\n```go\npackage main\n\nfunc main() { println(%s) }\n```\n\nIt prints:\n\n```text\n%s```\n"
	found := examples(fmt.Sprintf(doc, "x", ""))
	if len(found) != 1 {
		t.Fatalf("%d programs found, want 1", len(found))
	}
	fails(t, broken(t, found), "undefined: x")
	fails(t, broken(t, examples(fmt.Sprintf(doc, "1", "2\n"))), "not\n2")
}
