package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// said returns what a tool printed, a line each. Lines that name a package are
// headings.
func said(output string) (complaints []string) {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			complaints = append(complaints, line)
		}
	}
	return complaints
}

// vet complains about what go vet finds, with all its analyzers.
func vet(t *testing.T, args ...string) []string {
	t.Helper()
	out, errs, err := goCommand(nil, append([]string{"vet"}, args...)...)
	if err == nil { // what it prints then is about downloads
		return nil
	}
	complaints := said(out + errs)
	if len(complaints) == 0 {
		complaints = []string{"go vet: " + err.Error()}
	}
	return complaints
}

func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("vet takes some seconds")
	}
	holds(t, vet(t, "./..."))
	holds(t, vet(t, "-tags=invariants", "./..."))
}

func TestVetCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("vet takes some seconds")
	}
	bad := outside(t, "package bad\n\nimport \"fmt\"\n\nfunc f() { fmt.Printf(\"%d\", \"x\") }\n")
	fails(t, vet(t, bad), "Printf")
}

// outside writes a Go file of a package that stands alone and returns its path.
func outside(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bad.go")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

var staticcheckTool = []string{"tool", "-modfile=tools/go.mod", "staticcheck"}

// staticcheckMissing returns why the tool cannot run, or "". The first call may
// download and build it.
var staticcheckMissing = sync.OnceValue(func() string {
	if _, errs, err := goCommand(nil, slices.Concat(staticcheckTool, []string{"-version"})...); err != nil {
		return err.Error() + "\n" + errs
	}
	return ""
})

// staticcheck complains about what staticcheck finds. It skips the test where
// the tool can neither be found in the module cache nor be downloaded.
func staticcheck(t *testing.T, args ...string) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("staticcheck takes some seconds, and must be built first")
	}
	if missing := staticcheckMissing(); missing != "" {
		t.Skip("STATICCHECK DID NOT RUN: it is neither in the module cache nor can it be downloaded: " + missing)
	}
	out, errs, err := goCommand(nil, slices.Concat(staticcheckTool, args)...)
	if err == nil {
		return nil
	}
	complaints := said(out + errs)
	if len(complaints) == 0 {
		complaints = []string{"staticcheck: " + err.Error()}
	}
	return complaints
}

func TestStaticcheck(t *testing.T) { holds(t, staticcheck(t, "./...")) }

func TestStaticcheckCanFail(t *testing.T) {
	bad := outside(t, "package bad\n\n// F compares.\nfunc F(x int) bool { return x == x }\n")
	fails(t, staticcheck(t, bad), "SA4000")
}
