package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// Request says what to look for.
type Request struct {
	Sources  fs.FS     // the text of the twin
	Preloads []Preload // of the command line; one takes the place of a known allocator of its name
	Want     func(name string) bool
}

// Found is what can be measured, and what cannot.
type Found struct {
	Subjects []subject.Subject
	Absent   []string // subjects that were wanted and cannot be had
	Problems []error  // why not, each in a line
}

// candidate is a subject that may turn out not to be there.
type candidate struct {
	name string // with the prefix
	load Preload
	get  string // how to install an allocator that was looked for and not found
}

// Names returns the names of all native subjects that there can be, in order.
func Names(preloads []Preload) []string {
	var names []string
	for _, c := range candidates(preloads) {
		names = append(names, c.name)
	}
	return names
}

// candidates returns the C library, the known allocators and the command line's.
func candidates(preloads []Preload) []candidate {
	all := []candidate{{name: prefix + glibc}}
	for _, a := range allocators {
		path, _ := a.find(libraryDirs())
		all = append(all, candidate{prefix + a.name, Preload{a.name, path}, a.get})
	}
	for _, p := range preloads {
		one := candidate{name: prefix + p.Name, load: p}
		if i := slices.IndexFunc(all, func(c candidate) bool { return c.name == one.name }); i >= 0 {
			all[i] = one
		} else {
			all = append(all, one)
		}
	}
	return all
}

// Find builds the twin and tries it with each allocator that is wanted.
func Find(ctx context.Context, r Request) Found {
	wanted := slices.DeleteFunc(candidates(r.Preloads), func(c candidate) bool { return !r.Want(c.name) })
	var found Found
	if len(wanted) == 0 {
		return found
	}
	twin, compiler, err := buildTwin(ctx, r.Sources)
	if err != nil {
		found.Problems = []error{fmt.Errorf("no native subjects: %w", err)}
		for _, c := range wanted {
			found.Absent = append(found.Absent, c.name)
		}
		return found
	}
	for _, c := range wanted {
		s, err := c.subject(ctx, twin, compiler)
		if err != nil {
			found.Absent = append(found.Absent, c.name)
			found.Problems = append(found.Problems, fmt.Errorf("no %s: %w", c.name, err))
			continue
		}
		found.Subjects = append(found.Subjects, s)
	}
	return found
}

func buildTwin(ctx context.Context, sources fs.FS) (twin string, c *compiler, err error) {
	if runtime.GOOS != "linux" {
		return "", nil, fmt.Errorf("the twin runs on Linux only, where a malloc can be preloaded and libstdc++ is at home")
	}
	if c, err = findCompiler(ctx); err != nil {
		return "", nil, err
	}
	twin, err = build(ctx, sources, c)
	return twin, c, err
}

// subject makes the candidate a subject, if a short turn shows that it works.
func (c *candidate) subject(ctx context.Context, twin string, made *compiler) (subject.Subject, error) {
	s := subject.Subject{
		Name:    c.name,
		Text:    "the same in C++ on the C library's malloc",
		Note:    strings.TrimSpace(libraryVersion(ctx) + " by " + made.describe()),
		Program: subject.Program{Path: twin, Env: []string{"LD_PRELOAD="}},
	}
	if c.name != prefix+glibc {
		if c.load.Path == "" {
			return s, fmt.Errorf("its library is not where distributions put it; install %s, or say -preload %s=path.so", c.get, c.load.Name)
		}
		path, err := c.load.resolve()
		if err != nil {
			return s, err
		}
		s.Text = "the same in C++ on the malloc of " + path
		s.Note = path
		s.Program.Env = []string{"LD_PRELOAD=" + path}
	}
	return s, try(ctx, s)
}

// try makes a turn of a few hundred requests.
func try(ctx context.Context, s subject.Subject) error {
	out, err := turn.Run(ctx, s.Program, turn.Order{Test: work.Vectors, Subject: s.Name, Runs: 1, Scale: 1000})
	if err == nil && out.Counts.Allocs == 0 {
		err = errors.New("its trial made no request")
	}
	return err
}

// libraryVersion names the C library, or is empty where it is not told.
func libraryVersion(ctx context.Context) string {
	out, _ := exec.CommandContext(ctx, "getconf", "GNU_LIBC_VERSION").Output()
	return strings.TrimSpace(string(out))
}
