package lint

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// caseCount is the number of kinds of failure in docs/CASES.md.
const caseCount = 32

var (
	caseRow  = regexp.MustCompile(`(?m)^\| *(\d+) *\|.*\|([^|]*)\|$`)
	caseTest = regexp.MustCompile(`\.TestCase(\d+)_`)
	testName = regexp.MustCompile("`([\\w/]+\\.(?:Test|Fuzz|Benchmark|Example)\\w*)`")
)

// testFuncs returns the names of all tests, each behind its folder's.
func testFuncs(tree []*source) map[string]bool {
	names := map[string]bool{}
	for _, s := range goFiles(tree) {
		if !s.isTest() {
			continue
		}
		for _, decl := range s.file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Recv == nil {
				names[s.dir()+"."+d.Name.Name] = true
			}
		}
	}
	return names
}

// cases complains if the table of kinds of failure and the tests do not agree:
// each row names tests that exist, and every test that bears a
// case's number is in that case's row.
func cases(table string, tests map[string]bool) (complaints []string) {
	named := map[string]int{}
	rows := caseRow.FindAllStringSubmatch(table, -1)
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			complaints = append(complaints, fmt.Sprintf("docs/CASES.md: row %s stands where row %d should", row[1], i+1))
		}
		found := testName.FindAllStringSubmatch(row[2], -1)
		if len(found) == 0 {
			complaints = append(complaints, fmt.Sprintf("docs/CASES.md: case %s names no test", row[1]))
		}
		for _, m := range found {
			named[m[1]] = i + 1
			if !tests[m[1]] {
				complaints = append(complaints, fmt.Sprintf("docs/CASES.md: case %s names %s, which does not exist", row[1], m[1]))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		if m := caseTest.FindStringSubmatch(name); m != nil && strconv.Itoa(named[name]) != strings.TrimLeft(m[1], "0") {
			complaints = append(complaints, fmt.Sprintf("docs/CASES.md: row %s does not name `%s`", m[1], name))
		}
	}
	return complaints
}

func TestCasesHaveTests(t *testing.T) {
	table := document(t, "docs/CASES.md")
	if n := len(caseRow.FindAllString(table, -1)); n != caseCount {
		t.Errorf("docs/CASES.md has %d rows, want %d", n, caseCount)
	}
	holds(t, cases(table, testFuncs(theTree(t))))
}

func TestCasesHaveTestsCanFail(t *testing.T) {
	tests := testFuncs([]*source{newSource(t, "a/a_test.go", "package a\n\nfunc TestCase01_Size() {}\n\nfunc TestOther() {}\n")})
	const good = "| 1 | sizes | `a.TestCase01_Size`, `a.TestOther` |\n| 2 | x | `a.TestOther` |\n"
	holds(t, cases(good, tests))
	fails(t, cases(strings.Replace(good, "`a.TestOther` |\n| 2", "`a.TestGone` |\n| 2", 1), tests), "case 1 names a.TestGone, which does not exist")
	fails(t, cases(strings.Replace(good, "x | `a.TestOther`", "x | ", 1), tests), "case 2 names no test")
	fails(t, cases(strings.Replace(good, "`a.TestCase01_Size`, ", "", 1), tests), "row 01 does not name `a.TestCase01_Size`")
	fails(t, cases(strings.Replace(good, "| 2 |", "| 3 |", 1), tests), "row 3 stands where row 2 should")
}

// Where code quotes an invariant, and where docs/INVARIANTS.md tells it.
var (
	quoted  = regexp.MustCompile(`invariants? (\d+)|neighbourhood\((\d+)|visitAs\((\d+)`)
	treeOwn = regexp.MustCompile(`"(T\d+)[":]`)
	told    = regexp.MustCompile(`(?m)^\| *(T?\d+) *\|`)
)

// invariants complains if the code quotes an invariant that the document does
// not tell, or the document tells one that no code quotes.
func invariants(doc string, tree []*source) (complaints []string) {
	where := map[string]string{}
	for _, s := range goFiles(tree) {
		if s.isTest() {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(string(s.text), -1) {
			where[m[1]+m[2]+m[3]] = s.path
		}
		for _, m := range treeOwn.FindAllStringSubmatch(string(s.text), -1) {
			where[m[1]] = s.path
		}
	}
	rows := map[string]bool{}
	for _, m := range told.FindAllStringSubmatch(doc, -1) {
		rows[m[1]] = true
		if where[m[1]] == "" {
			complaints = append(complaints, fmt.Sprintf("docs/INVARIANTS.md: nothing checks invariant %s", m[1]))
		}
	}
	for _, number := range slices.Sorted(maps.Keys(where)) {
		if !rows[number] {
			complaints = append(complaints, fmt.Sprintf("%s: invariant %s is not in docs/INVARIANTS.md", where[number], number))
		}
	}
	return complaints
}

func TestInvariantsAreTold(t *testing.T) {
	holds(t, invariants(document(t, "docs/INVARIANTS.md"), theTree(t)))
}

func TestInvariantsAreToldCanFail(t *testing.T) {
	code := []*source{newSource(t, "a/a.go", "package a\n\nvar x = \"invariant 7: broken\"\n\nvar y = []string{\"T3\"}\n")}
	holds(t, invariants("| 7 | x |\n| T3 | x |\n", code))
	fails(t, invariants("| 7 | x |\n", code), "a/a.go: invariant T3 is not in")
	fails(t, invariants("| 7 | x |\n| T3 | x |\n| 8 | x |\n", code), "nothing checks invariant 8")
}

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	makeCall   = regexp.MustCompile("`make ([a-z0-9-]+)")
	makeTarget = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
	noAnchor   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns what a link to a heading of the document can name, as GitHub
// makes it of the heading.
func anchors(s *source) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(s.text), ""), -1) {
		name := noAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}

// deadEnds complains about links between documents, and make targets named in
// them, that lead nowhere. files are all paths of the tree.
func deadEnds(docs []*source, files map[string]bool, makefile string) (complaints []string) {
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(makefile, -1) {
		targets[m[1]] = true
	}
	headings := map[string]map[string]bool{}
	for _, s := range docs {
		headings[s.path] = anchors(s)
	}
	for _, s := range docs {
		// In code f[T](x) is a call.
		for _, m := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(s.text), ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			file := path.Join(s.dir(), to)
			if to == "" {
				file = s.path
			}
			if to != "" && !files[file] {
				complaints = append(complaints, fmt.Sprintf("%s: links to %s, which does not exist", s.path, to))
			} else if names := headings[file]; anchor != "" && names != nil && !names[anchor] {
				complaints = append(complaints, fmt.Sprintf("%s: links to %s, and no heading there is called #%s", s.path, file, anchor))
			}
		}
		for _, m := range makeCall.FindAllStringSubmatch(string(s.text), -1) {
			if !targets[m[1]] {
				complaints = append(complaints, fmt.Sprintf("%s: there is no make %s", s.path, m[1]))
			}
		}
	}
	return complaints
}

func TestDocumentsLeadSomewhere(t *testing.T) {
	files := map[string]bool{"LICENSE": true}
	pictures, err := filepath.Glob(filepath.Join(root, "docs", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, picture := range pictures {
		files["docs/"+filepath.Base(picture)] = true
	}
	var docs []*source
	for _, s := range theTree(t) {
		for p := s.path; p != "."; p = path.Dir(p) {
			files[p] = true
		}
		if path.Ext(s.path) == ".md" {
			docs = append(docs, s)
		}
	}
	holds(t, deadEnds(docs, files, document(t, "Makefile")))
}

func TestDocumentsLeadSomewhereCanFail(t *testing.T) {
	files := map[string]bool{"docs/A.md": true, "memctx": true}
	doc := func(text string) []*source { return []*source{newSource(t, "docs/A.md", text)} }
	const good = "# X\n\n## A `sync.Pool`, 2\n\n[a](A.md#x) [b](#a-syncpool-2) [m](../memctx) [w](https://go.dev/#x) `make test`\n```go\nf[T](x)\n```"
	holds(t, deadEnds(doc(good), files, "test:\n"))
	fails(t, deadEnds(doc(strings.Replace(good, "#x", "#y", 1)), files, "test:\n"), "no heading there is called #y")
	fails(t, deadEnds(doc(strings.Replace(good, "## A", "```sh\n## A\n```\n", 1)), files, "test:\n"), "called #a-syncpool-2")
	fails(t, deadEnds(doc("[a](B.md)"), files, ""), "links to B.md")
	fails(t, deadEnds(doc("`make best`"), files, "test:\n"), "there is no make best")
}

// requirement is a line of go.mod that names a module which this one imports.
// The major version behind its path is no part of the name.
var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+([^\s()]+\.[^\s()]+?)(?:/v\d+)? v\S+$`)

// unexplained complains about modules that go.mod requires and that the design
// does not give a reason for.
func unexplained(gomod, design string) (complaints []string) {
	_, reasons, _ := strings.Cut(design, "\n## Dependencies\n")
	for _, m := range requirement.FindAllStringSubmatch(gomod, -1) {
		if !strings.Contains(reasons, "**"+m[1]+"**") {
			complaints = append(complaints, fmt.Sprintf("docs/DESIGN.md: Dependencies does not say why %s", m[1]))
		}
	}
	return complaints
}

func TestDependenciesAreExplained(t *testing.T) {
	holds(t, unexplained(document(t, "go.mod"), document(t, "docs/DESIGN.md")))
}

func TestDependenciesAreExplainedCanFail(t *testing.T) {
	const gomod = "module m\n\ngo 1.26.0\n\nrequire (\n\ta.org/x v1.0.0\n\tb.org/y/v6 v6.0.0\n\tc.org/z v1.0.0 // indirect\n)\n"
	const design = "**a.org/x** is elsewhere\n\n## Dependencies\n\n- **b.org/y**: why.\n"
	fails(t, unexplained(gomod, design), "does not say why a.org/x")
}
