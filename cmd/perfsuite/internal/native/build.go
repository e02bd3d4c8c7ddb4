package native

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mainFile is the one of the twin's files that is compiled; it includes the
// others.
const mainFile = "twin.cpp"

// flags are those of a released program: what a user of malloc would measure.
var flags = []string{"-std=c++17", "-O2", "-DNDEBUG"}

// build returns the path of the twin, compiled now or by an earlier call. The
// name tells what it was made of, and it gets that name when it is complete, so
// that any number of processes may build at a time.
func build(ctx context.Context, sources fs.FS, c *compiler) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for the compiled twin: %w", err)
	}
	dir = filepath.Join(dir, "cookmem-perfsuite")
	key, err := keyOf(sources, c)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "twin-"+key)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return program, buildNew(ctx, sources, c, program)
}

// keyOf returns a name for the twin of these sources by this compiler.
func keyOf(sources fs.FS, c *compiler) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", c.command, c.version, flags)
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sources, name)
		fmt.Fprintf(h, "%q %q\n", name, text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// buildNew compiles the twin in a folder beside program, which goes away again.
func buildNew(ctx context.Context, sources fs.FS, c *compiler, program string) error {
	dir, err := os.MkdirTemp(filepath.Dir(program), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(filepath.Join(dir, "source"), sources); err != nil {
		return err
	}
	made := filepath.Join(dir, "twin")
	if err := c.compile(ctx, filepath.Join(dir, "source", mainFile), made); err != nil {
		return err
	}
	return os.Rename(made, program)
}

// describe says in a line how the twin was made.
func (c *compiler) describe() string {
	return c.version + " " + strings.Join(flags, " ")
}
