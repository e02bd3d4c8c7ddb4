package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// compilers are the names to try, if the environment does not choose one.
var compilers = []string{"c++", "g++", "clang++"}

// compiler is a C++ compiler.
type compiler struct {
	command []string // its path, and what $CXX has behind that
	version string   // the first line of what it says about itself
}

// findCompiler returns the compiler that $CXX names or else the first one on the
// PATH.
func findCompiler(ctx context.Context) (*compiler, error) {
	if chosen := strings.Fields(os.Getenv("CXX")); len(chosen) != 0 {
		path, err := exec.LookPath(chosen[0])
		if err != nil {
			return nil, fmt.Errorf("no C++ compiler: $CXX names %s, which is not there", chosen[0])
		}
		return newCompiler(ctx, append([]string{path}, chosen[1:]...))
	}
	for _, name := range compilers {
		if path, err := exec.LookPath(name); err == nil {
			return newCompiler(ctx, []string{path})
		}
	}
	return nil, fmt.Errorf("no C++ compiler: none of %s is on the PATH, and $CXX is empty", strings.Join(compilers, ", "))
}

func newCompiler(ctx context.Context, command []string) (*compiler, error) {
	c := &compiler{command: command}
	out, err := c.call(ctx, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", command[0], err)
	}
	c.version, _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return c, nil
}

// compile makes a program of the file main, without leaving anything else.
func (c *compiler) compile(ctx context.Context, main, program string) error {
	args := append(flags[:len(flags):len(flags)], "-o", program, main, "-ldl")
	out, err := c.call(ctx, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s does not compile the twin: %w", c.command[0], complaint(string(out), err))
	}
	return nil
}

// call makes a call of the compiler. When ctx ends it is killed; what it had started
// itself, and what goes on with its output, is not waited for then.
func (c *compiler) call(ctx context.Context, args ...string) *exec.Cmd {
	call := exec.CommandContext(ctx, c.command[0], append(c.command[1:len(c.command):len(c.command)], args...)...)
	call.WaitDelay = time.Second
	return call
}

// complaint returns the first error in what a compiler printed, in a line.
func complaint(out string, err error) error {
	for line := range strings.Lines(out) {
		if _, text, found := strings.Cut(line, "error: "); found {
			return errors.New(strings.TrimPrefix(strings.TrimSpace(text), "#error "))
		}
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); line != "" {
		return errors.New(line)
	}
	return err
}
