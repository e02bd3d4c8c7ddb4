package native

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// prefix begins the names of all native subjects.
const prefix = "native:"

// glibc is the subject that preloads nothing.
const glibc = "glibc"

// Preload is a library to preload and the name that its subject has behind
// "native:".
type Preload struct{ Name, Path string }

var nameSyntax = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// ParsePreload understands name=path. Whether the library is there it leaves to
// Find.
func ParsePreload(text string) (Preload, error) {
	name, path, ok := strings.Cut(text, "=")
	switch {
	case !ok || path == "":
		return Preload{}, fmt.Errorf("it must be name=path.so")
	case !nameSyntax.MatchString(name):
		return Preload{}, fmt.Errorf("the name %q must be of letters, digits and . _ + -", name)
	case name == glibc:
		return Preload{}, fmt.Errorf("the name %s is that of the C library, which needs no preload", glibc)
	}
	return Preload{name, path}, nil
}

// resolve returns the path as the dynamic linker will take it: absolute, and of a
// file that is there.
func (p Preload) resolve() (string, error) {
	path, err := filepath.Abs(p.Path)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(path, " :$") {
		return "", fmt.Errorf("%s cannot be preloaded: the dynamic linker takes no path with a space, a colon or a dollar sign", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	}
	return path, nil
}
