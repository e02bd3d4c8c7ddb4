package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mistake is a program that is wrong and compiles, and what finds it. Programs lie
// in testdata of the tutorial, where neither go vet ./... nor the tests see them.
type mistake struct {
	program string
	env     []string
	args    []string // of the go command
	says    string   // by which it finds the mistake, and docs/LIFETIMES.md tells it
	slow    bool
}

var mistakes = []mistake{
	{program: "copied", args: []string{"vet"}, says: "copies lock value from *mc"},
	{program: "outlives", args: []string{"run", "-race"}, says: "WARNING: DATA RACE"},
	{program: "shared", args: []string{"run", "-race"}, says: "WARNING: DATA RACE"},
	{program: "typed", args: []string{"run"}, says: "fatal error: found bad pointer in Go heap"},
	{program: "gopointer", env: []string{"GOEXPERIMENT=cgocheck2"}, args: []string{"run"},
		says: "fatal error: unpinned Go pointer stored into non-Go memory", slow: true},
}

// slowTools is the variable that lets TestMistakesAreFound build the standard
// library anew.
const slowTools = "COOKMEM_SLOW_TOOLS"

func mistakeNames() (names []string) {
	for _, m := range mistakes {
		names = append(names, m.program)
	}
	return names
}

// goArgs returns the arguments of the go command that finds it.
func (m mistake) goArgs() []string {
	return append(slices.Clone(m.args), "./"+tutorial+"/testdata/"+m.program)
}

// String returns the command that finds it, and what that says.
func (m mistake) String() string {
	command := append(slices.Clone(m.env), "go")
	return strings.Join(append(command, m.goArgs()...), " ") + " says " + m.says
}

// found runs a tool on a program and complains if it does not say what it should.
func (m mistake) found() (complaints []string) {
	out, errs, err := goCommand(m.env, m.goArgs()...)
	if err == nil || !strings.Contains(out+errs, m.says) {
		return []string{"not so: " + m.String() + ":\n" + out + errs}
	}
	return nil
}

func TestMistakesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("this builds programs under the race detector")
	}
	page := document(t, "docs/LIFETIMES.md")
	for _, m := range mistakes {
		t.Run(m.program, func(t *testing.T) {
			if !strings.Contains(page, m.says) {
				t.Errorf("docs/LIFETIMES.md does not tell %q", m.says)
			}
			if m.slow && os.Getenv(slowTools) == "" {
				t.Skip("this builds the standard library once more: set " + slowTools + "=1")
			}
			if strings.Contains(strings.Join(m.args, " "), "-race") {
				if enabled, _, _ := goCommand(nil, "env", "CGO_ENABLED"); strings.TrimSpace(enabled) != "1" {
					t.Skip("the race detector needs a C compiler")
				}
			}
			holds(t, m.found())
			if !t.Failed() {
				t.Log(m)
			}
		})
	}
	folders, err := filepath.Glob(filepath.Join(root, tutorial, "testdata", "*"))
	if err != nil || len(folders) != len(mistakes) {
		t.Errorf("%d programs, %d of them in the list: %v", len(folders), len(mistakes), err)
	}
}

func TestMistakesAreFoundCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("this runs go vet")
	}
	fails(t, mistake{program: "typed", args: []string{"vet"}, says: "copies lock value"}.found(), "not so: go vet")
}
