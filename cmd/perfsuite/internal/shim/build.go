package shim

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed c/shim.c
var source []byte

// Why there can be no shim.
var (
	ErrSystem   = errors.New("native programs can be recorded on Linux only")
	ErrCompiler = errors.New("a C compiler is needed, and none of $CC, cc, gcc and clang was found")
)

// Build compiles the library into the folder and returns its path.
func Build(dir string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", ErrSystem
	}
	if strings.ContainsAny(dir, " :$") {
		return "", fmt.Errorf("the library cannot be preloaded from %s: the dynamic linker takes no path with a space, a colon or a dollar sign; set TMPDIR", dir)
	}
	compiler, err := findCompiler()
	if err != nil {
		return "", err
	}
	text, library := filepath.Join(dir, "shim.c"), filepath.Join(dir, "shim.so")
	if err := os.WriteFile(text, source, 0o600); err != nil {
		return "", err
	}
	args := append(compiler[1:len(compiler):len(compiler)], "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-o", library, text, "-ldl", "-lpthread")
	if out, err := exec.Command(compiler[0], args...).CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("%s: %w: %s", compiler[0], err, line)
	}
	return library, nil
}

// findCompiler returns the command that compiles C, which may have arguments.
func findCompiler() ([]string, error) {
	for _, candidate := range []string{os.Getenv("CC"), "cc", "gcc", "clang"} {
		if words := strings.Fields(candidate); len(words) != 0 {
			if _, err := exec.LookPath(words[0]); err == nil {
				return words, nil
			}
		}
	}
	return nil, ErrCompiler
}
