package native

import (
	"path/filepath"
	"runtime"
	"slices"
)

// allocator is a malloc that Linux distributions have as a library.
type allocator struct {
	name  string
	files []string // patterns of file names, the preferred one first
	get   string   // the packages to install
}

// allocators are those to look for. A name without a version is for builds by
// hand; the version is the highest where a pattern leaves it open.
var allocators = []allocator{
	{"jemalloc", []string{"libjemalloc.so.2", "libjemalloc.so"}, "libjemalloc2 on Debian, jemalloc on Fedora"},
	{"mimalloc", []string{"libmimalloc.so.[0-9]*", "libmimalloc.so"}, "libmimalloc2.0 or a later one on Debian, mimalloc on Fedora"},
	{"tcmalloc", []string{"libtcmalloc_minimal.so.[0-9]*", "libtcmalloc.so.[0-9]*", "libtcmalloc_minimal.so", "libtcmalloc.so"}, "libtcmalloc-minimal4 on Debian, gperftools-libs on Fedora"},
}

// multiarch are Debian's names of architectures in paths of libraries.
var multiarch = map[string]string{
	"amd64":   "x86_64-linux-gnu",
	"arm64":   "aarch64-linux-gnu",
	"loong64": "loongarch64-linux-gnu",
	"ppc64le": "powerpc64le-linux-gnu",
	"riscv64": "riscv64-linux-gnu",
	"s390x":   "s390x-linux-gnu",
}

// libraryDirs returns where libraries lie, those that the user installed himself
// first.
func libraryDirs() []string {
	var dirs []string
	for _, root := range []string{"/usr/local", "/usr"} {
		if triple, ok := multiarch[runtime.GOARCH]; ok {
			dirs = append(dirs, filepath.Join(root, "lib", triple))
		}
		dirs = append(dirs, filepath.Join(root, "lib64"), filepath.Join(root, "lib"), filepath.Join(root, "lib", "mimalloc-*"), filepath.Join(root, "lib64", "mimalloc-*"))
	}
	return dirs
}

// find returns the allocator's library in the first of the folders that has it.
func (a *allocator) find(dirs []string) (string, bool) {
	for _, dir := range dirs {
		for _, file := range a.files {
			found, _ := filepath.Glob(filepath.Join(dir, file)) // fails only for a malformed pattern
			if len(found) != 0 {
				return slices.Max(found), true
			}
		}
	}
	return "", false
}
