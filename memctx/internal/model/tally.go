package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally counts what has happened to contexts, by name. Calls of a context begin with
// a capital letter, what the provider beneath it was asked for with a small one. Words
// behind the first tell what has come of some of them.
type Tally map[string]int

// String returns the counts in the order of their names, with a line for each first
// word.
func (t Tally) String() string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if kind, what, some := strings.Cut(name, " "); some {
			fmt.Fprintf(&lines, ", %s %d", what, t[name])
		} else {
			fmt.Fprintf(&lines, "\n%-12s %10d", kind, t[name])
		}
	}
	return lines.String()
}

// Missing returns those of the names that have not been counted.
func (t Tally) Missing(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return t[name] > 0 })
}
