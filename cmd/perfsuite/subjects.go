package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/native"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
)

// twinFiles are the text of the native twin.
//
//go:embed native/*.cpp native/*.h
var twinFiles embed.FS

// everyNative stands for all native subjects in a list of subjects.
const everyNative = "native"

// chooseSubjects fills in which subjects there are, which of them to compare and
// which is the base. Native ones that cannot be had are left out.
func (f *rawFlags) chooseSubjects(c *config) error {
	if err := f.checkPreloads(); err != nil {
		return err
	}
	names, err := f.subjectNames()
	if err != nil {
		return err
	}
	c.known = subject.All()
	var absent []string
	if f.native {
		ctx, stop := untilStopped()
		defer stop()
		found := native.Find(ctx, native.Request{
			Sources:  twinSources(),
			Preloads: f.preloads,
			Want:     func(name string) bool { return f.list || slices.Contains(names, name) },
		})
		if ctx.Err() != nil {
			return errInterrupted
		}
		c.known = append(slices.Clip(c.known), found.Subjects...)
		c.problems, absent = found.Problems, found.Absent
	}
	for _, name := range names {
		if i := slices.IndexFunc(c.known, named(name)); i >= 0 {
			c.subjects = append(c.subjects, c.known[i])
		}
	}
	base := f.base
	if slices.Contains(absent, base) {
		base = ""
	}
	c.base, err = findBase(base, c.subjects)
	return err
}

func twinSources() fs.FS {
	sources, err := fs.Sub(twinFiles, "native")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return sources
}

// subjectNames returns the names that -subjects asks for, once each and in its
// order. Of native subjects it is not known yet whether they can be had.
func (f *rawFlags) subjectNames() ([]string, error) {
	var valid, natives []string
	for _, s := range subject.All() {
		valid = append(valid, s.Name)
	}
	if f.native {
		natives = native.Names(f.preloads)
		valid = append(valid, natives...)
	}
	if f.subjects == "" {
		return slices.DeleteFunc(valid, func(name string) bool {
			s, _ := subject.Find(name)
			return s.Asked
		}), nil
	}
	var names []string
	for _, item := range items(f.subjects) {
		switch {
		case item == everyNative && f.native:
			names = append(names, natives...)
		case slices.Contains(valid, item):
			names = append(names, item)
		default:
			return nil, fmt.Errorf("unknown subject %q; valid are %s%s", item, strings.Join(valid, ", "), f.nativeHint())
		}
	}
	return unique(names), nil
}

// nativeHint says what to do for more subjects.
func (f *rawFlags) nativeHint() string {
	if f.native {
		return ""
	}
	return "; more with -native"
}

// addPreload takes a -preload.
func (f *rawFlags) addPreload(text string) error {
	p, err := native.ParsePreload(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(f.preloads, func(q native.Preload) bool { return q.Name == p.Name }) {
		return fmt.Errorf("there is a preload %s already", p.Name)
	}
	f.preloads = append(f.preloads, p)
	return nil
}

func (f *rawFlags) checkPreloads() error {
	if len(f.preloads) != 0 && !f.native {
		return errors.New("-preload is of use with -native only")
	}
	return nil
}

// findBase returns the base: that of the name, or without one the default.
func findBase(name string, subjects []subject.Subject) (string, error) {
	among := func(name string) bool { return slices.ContainsFunc(subjects, named(name)) }
	switch {
	case name == "" && among(defaultBase):
		return defaultBase, nil
	case name == "" && len(subjects) == 0:
		return "", nil
	case name == "":
		return subjects[0].Name, nil
	case !among(name):
		return "", fmt.Errorf("the base %q is not among the subjects; valid are %s", name, subjectNames(subjects))
	}
	return name, nil
}

func named(name string) func(subject.Subject) bool {
	return func(s subject.Subject) bool { return s.Name == name }
}

func subjectNames(all []subject.Subject) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// unique drops what is there already, and keeps the order.
func unique(names []string) []string {
	var kept []string
	for _, name := range names {
		if !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}
