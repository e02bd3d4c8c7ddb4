package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally counts what has happened to contexts, by name. Calls of a context begin with
// a capital letter, what the provider beneath it was asked for with a small one.
type Tally map[string]int

// String returns the counts in the order of their names.
func (t Tally) String() string {
	var counts []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, t[name]))
	}
	return strings.Join(counts, ", ")
}

// Missing returns those of the names that have not been counted.
func (t Tally) Missing(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return t[name] > 0 })
}
