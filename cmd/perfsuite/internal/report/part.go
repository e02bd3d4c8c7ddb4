package report

import (
	"slices"
	"strings"
)

// Tests returns the names of the tests in their order.
func (r *Report) Tests() []string {
	var names []string
	for _, block := range r.byTest() {
		names = append(names, block[0].Test)
	}
	return names
}

// SubjectNames returns the names of the subjects in their order, also of those
// that an interrupt left without a result.
func (r *Report) SubjectNames() []string {
	var names []string
	for _, s := range r.Header.Subjects {
		names = append(names, s.Name)
	}
	for _, name := range r.subjects() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Part returns what the report says about some tests on some subjects, which come
// in the order given. The ratios of the table refer to base.
func (r *Report) Part(tests, subjects []string, base string) *Report {
	part := &Report{Header: r.Header}
	part.Header.Base = base
	part.Header.Subjects = slices.DeleteFunc(slices.Clone(r.Header.Subjects), func(s Subject) bool {
		return !slices.Contains(subjects, s.Name)
	})
	for _, block := range r.byTest() {
		if slices.Contains(tests, block[0].Test) {
			part.Results = append(part.Results, ofSubjects(block, subjects)...)
		}
	}
	return part
}

// ofSubjects returns the results of some subjects, in the order of these.
func ofSubjects(block []Result, subjects []string) []Result {
	var found []Result
	for _, name := range subjects {
		for i := range block {
			if block[i].Subject == name {
				found = append(found, block[i])
			}
		}
	}
	return found
}

// IsNative reports whether a subject of that name is a malloc of the system.
func IsNative(subject string) bool { return strings.HasPrefix(subject, nativePrefix) }
