package native

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
)

// sources is the text of the twin, as perfsuite embeds it.
func sources() fs.FS { return os.DirFS("../../native") }

// needCompiler returns a compiler, or skips the test.
func needCompiler(t *testing.T) *compiler {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the twin runs on Linux only")
	}
	c, err := findCompiler(t.Context())
	if err != nil {
		t.Skipf("%v: not compared with the native twin", err)
	}
	return c
}

// find returns what there is of the named subjects.
func find(t *testing.T, preloads []Preload, names ...string) Found {
	t.Helper()
	return Find(t.Context(), Request{Sources: sources(), Preloads: preloads, Want: func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}})
}

// mustFind returns one subject.
func mustFind(t *testing.T, preloads []Preload, name string) subject.Subject {
	t.Helper()
	found := find(t, preloads, name)
	if len(found.Subjects) != 1 || len(found.Problems) != 0 || found.Subjects[0].Name != name {
		t.Fatalf("%+v", found)
	}
	return found.Subjects[0]
}

// library compiles a shared library of a C++ text.
func library(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "lib.cpp"), filepath.Join(dir, "lib.so")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := needCompiler(t).call(t.Context(), "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func TestNames(t *testing.T) {
	got := strings.Join(Names([]Preload{{"jemalloc", "a"}, {"own", "b"}}), " ")
	if got != "native:glibc native:jemalloc native:mimalloc native:tcmalloc native:own" {
		t.Error(got)
	}
}

func TestNothingWanted(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	if found := find(t, nil); len(found.Subjects)+len(found.Absent)+len(found.Problems) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestNoCompiler(t *testing.T) {
	for name, set := range map[string]func(){
		"CXX":  func() { t.Setenv("CXX", "no-such-compiler -O3") },
		"PATH": func() { t.Setenv("CXX", ""); t.Setenv("PATH", t.TempDir()) },
	} {
		set()
		found := find(t, nil, "native:glibc", "native:tcmalloc")
		if len(found.Subjects) != 0 || strings.Join(found.Absent, " ") != "native:glibc native:tcmalloc" {
			t.Errorf("%s: %+v", name, found)
		}
		wantProblem(t, found, "no native subjects: ")
	}
}

// wantProblem wants one problem, in a line that has each of the words.
func wantProblem(t *testing.T, found Found, words ...string) {
	t.Helper()
	if len(found.Problems) != 1 {
		t.Errorf("problems %v, want one with %q", found.Problems, words)
		return
	}
	text := found.Problems[0].Error()
	for _, word := range words {
		if !strings.Contains(text, word) || strings.Contains(text, "\n") {
			t.Errorf("problem %q, want a line with %q", text, word)
		}
	}
}

// TestBadLibraries wants each to be told and to leave the others alone.
func TestBadLibraries(t *testing.T) {
	needCompiler(t)
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, words := range map[string][]string{
		"/no/such/library.so": {"no native:x", "/no/such/library.so"},
		t.TempDir():           {"no native:x", "not a file"},
		text:                  {"no native:x", text},
		library(t, "extern int nothing; int nothing = 1;"):                       {"no native:x", "malloc comes from", "and not from"},
		library(t, `extern "C" void* malloc(unsigned long) { return nullptr; }`): {"no native:x"},
	} {
		found := find(t, []Preload{{"x", path}}, "native:glibc", "native:x")
		if len(found.Subjects) != 1 || found.Subjects[0].Name != "native:glibc" || strings.Join(found.Absent, " ") != "native:x" {
			t.Errorf("%s: %+v", path, found)
		}
		wantProblem(t, found, words...)
	}
}

// TestLibraryNotFound looks for allocators where there are none.
func TestLibraryNotFound(t *testing.T) {
	needCompiler(t)
	c := candidate{prefix + "jemalloc", Preload{Name: "jemalloc"}, "a package"}
	_, err := c.subject(t.Context(), "", new(compiler))
	if err == nil || !strings.Contains(err.Error(), "install a package, or say -preload jemalloc=path.so") {
		t.Errorf("error %v", err)
	}
}

func TestFindLibrary(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, path := range []string{
		filepath.Join(first, "libmimalloc-secure.so.2"), filepath.Join(first, "libtcmalloc_minimal_debug.so.4"),
		filepath.Join(second, "libmimalloc.so"), filepath.Join(second, "libmimalloc.so.2"), filepath.Join(second, "libmimalloc.so.2.1"),
		filepath.Join(second, "libtcmalloc.so.4"), filepath.Join(second, "libtcmalloc_minimal.so.4"),
	} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"", "libmimalloc.so.2.1", "libtcmalloc_minimal.so.4"} {
		got, ok := allocators[i].find([]string{first, second})
		if ok != (want != "") || ok && got != filepath.Join(second, want) {
			t.Errorf("%s: %q, %v", allocators[i].name, got, ok)
		}
	}
}

func TestParsePreload(t *testing.T) {
	for text, want := range map[string]Preload{
		"sn=/opt/lib/libsnmalloc.so": {"sn", "/opt/lib/libsnmalloc.so"},
		"dl-2.8.6=a=b.so":            {"dl-2.8.6", "a=b.so"},
	} {
		if got, err := ParsePreload(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "x=", "=y", "a b=y", "a,b=y", "native:x=y", "glibc=y", "-x=y"} {
		if got, err := ParsePreload(text); err == nil {
			t.Errorf("%q is taken as %+v", text, got)
		}
	}
}

func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("every absolute path has a colon here")
	}
	for _, path := range []string{"a b.so", "a:b.so", "$ORIGIN.so"} {
		if got, err := (Preload{"x", path}).resolve(); err == nil || !strings.Contains(err.Error(), "cannot be preloaded") {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	if got, err := (Preload{"x", "doc.go"}).resolve(); err != nil || !filepath.IsAbs(got) {
		t.Errorf("%q, %v", got, err)
	}
}
