package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// small is a twin that compiles in no time.
var small = fstest.MapFS{mainFile: {Data: []byte("#include \"a.h\"\nint main() { return answer - 42; }\n")}, "a.h": {Data: []byte("const int answer = 42;\n")}}

// TestBuildOnce builds at the same time and again later: there must be one
// program, nothing beside it, and no second compilation.
func TestBuildOnce(t *testing.T) {
	c := needCompiler(t)
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	var programs [3]string
	var group sync.WaitGroup
	for i := range programs {
		group.Go(func() {
			var err error
			if programs[i], err = build(t.Context(), small, c); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	before, err := os.Stat(programs[0])
	if err != nil {
		t.Fatal(err)
	}
	again, err := build(t.Context(), small, c)
	if err != nil || again != programs[0] || programs[1] != again || programs[2] != again {
		t.Errorf("%q, then %q, %v", programs, again, err)
	}
	if after, err := os.Stat(again); err != nil || !os.SameFile(before, after) {
		t.Errorf("compiled again: %v", err)
	}
	if all, _ := filepath.Glob(filepath.Join(cache, "*", "*")); len(all) != 1 {
		t.Errorf("left in the cache: %q", all)
	}
}

// TestKey wants another name for another text, another compiler and another
// distribution of the same text over files.
func TestKey(t *testing.T) {
	c := &compiler{command: []string{"c++"}, version: "1"}
	seen := map[string]int{}
	for i, one := range []struct {
		sources fstest.MapFS
		c       *compiler
	}{
		{small, c},
		{small, &compiler{command: []string{"c++"}, version: "2"}},
		{small, &compiler{command: []string{"c++", "-g"}, version: "1"}},
		{fstest.MapFS{mainFile: small[mainFile], "a.h": {Data: []byte("const int answer = 43;\n")}}, c},
		{fstest.MapFS{mainFile: small[mainFile], "b.h": small["a.h"]}, c},
	} {
		key, err := keyOf(one.sources, one.c)
		if earlier, ok := seen[key]; err != nil || ok {
			t.Errorf("%d has the key of %d, %v", i, earlier, err)
		}
		seen[key] = i
	}
}

// TestDemands builds the twin without what it demands.
func TestDemands(t *testing.T) {
	c := needCompiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CXX", c.command[0]+" -D_GLIBCXX_USE_CXX11_ABI=0")
	wantProblem(t, find(t, nil, "native:glibc"), "no native subjects: ", "does not compile the twin: ", "needs the strings of libstdc++")
}

func TestNoCache(t *testing.T) {
	c := needCompiler(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, "relative"} {
		t.Setenv("XDG_CACHE_HOME", dir)
		if program, err := build(t.Context(), small, c); err == nil {
			t.Errorf("built %s", program)
		}
	}
}

func TestComplaint(t *testing.T) {
	failed := errors.New("exit status 1")
	for out, want := range map[string]string{
		"In file included from x:\ny.h:9:2: error: #error it needs more\n   9 | #error\n": "it needs more",
		"y.cpp:1:10: fatal error: string: No such file or directory\n":                    "string: No such file or directory",
		"collect2: ld returned 1 exit status\n":                                           "collect2: ld returned 1 exit status",
		"\n":                                                                              "exit status 1",
	} {
		if got := complaint(out, failed).Error(); got != want || strings.Contains(got, "\n") {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}
