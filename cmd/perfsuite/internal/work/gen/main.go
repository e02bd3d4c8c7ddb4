// Command gen copies the text of the workloads from package floor into the
// packages of the other families. It is run by go generate in the folder above.
//
// Whatever lies in floor except heap.go, doc.go and the tests is the text. A
// family has its own heap.go and doc.go; all other files in its folder come
// from here.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// source is the family whose workloads are the text.
const source = "floor"

// family is a package that receives a copy.
type family struct {
	name       string
	constraint string // build constraint, or empty
}

var families = []family{
	{name: "ctx"},
	{name: "goheap"},
	{name: "modernc", constraint: "unix || windows"},
}

const notice = "// Code generated from package floor by cmd/perfsuite/internal/work/gen. DO NOT EDIT.\n\n"

func main() {
	if err := generate("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate writes the copies below dir, the folder of package work.
func generate(dir string) error {
	names, err := textFiles(dir)
	if err != nil {
		return err
	}
	for _, f := range families {
		for _, name := range names {
			text, err := copyFor(dir, name, f)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, f.name, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// textFiles returns the names of the files to copy.
func textFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, source))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if own(name) || !strings.HasSuffix(name, ".go") {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

// own reports whether each family writes this file itself.
func own(name string) bool {
	return name == "heap.go" || name == "doc.go" || strings.HasSuffix(name, "_test.go")
}

// copyFor returns the file name of floor as the family f holds it.
func copyFor(dir, name string, f family) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, source, name))
	if err != nil {
		return nil, err
	}
	clause := []byte("package " + source + "\n")
	if bytes.Count(text, clause) != 1 {
		return nil, fmt.Errorf("%s: want one package clause on a line of its own", name)
	}
	text = bytes.Replace(text, clause, []byte("package "+f.name+"\n"), 1)
	head := notice
	if f.constraint != "" {
		head += "//go:build " + f.constraint + "\n\n"
	}
	return append([]byte(head), text...), nil
}
