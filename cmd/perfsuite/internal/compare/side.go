package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
)

// Side is one side of a comparison.
type Side struct {
	Files   string // a comma list, as the user gave it
	Headers []report.Header

	results map[key]*report.Result
	tests   []string // in the order in which they came
	names   []string // subjects, likewise
}

// key is what the two sides have in common.
type key struct{ test, subject string }

// Read pools the reports of a comma list of files. All must have been measured
// at the same scale.
func Read(files string) (*Side, error) {
	s := &Side{Files: files}
	for name := range strings.SplitSeq(files, ",") {
		r, err := report.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := s.Add(r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return s, nil
}

// Add pools a report with those that are there.
func (s *Side) Add(r *report.Report) error {
	if len(s.Headers) != 0 && s.Headers[0].Scale != r.Header.Scale {
		return errScale(s.Headers[0].Scale, r.Header.Scale)
	}
	if s.results == nil {
		s.results = map[key]*report.Result{}
	}
	s.Headers = append(s.Headers, r.Header)
	for _, one := range r.Results {
		s.tests, s.names = withName(s.tests, one.Test), withName(s.names, one.Subject)
		s.pool(one)
	}
	return nil
}

// pool adds the turns of a result. A failure anywhere is one of the pool.
func (s *Side) pool(one report.Result) {
	k := key{one.Test, one.Subject}
	all, found := s.results[k]
	switch {
	case !found:
		s.results[k] = &one
	case all.Error == "" && one.Error == "" && all.Counts != one.Counts:
		all.Error = "its reports were asked for different work"
	default:
		all.Turns = slices.Concat(all.Turns, one.Turns)
		if all.Error == "" {
			all.Error = one.Error
		}
	}
}

func withName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

func errScale(a, b int) error {
	return fmt.Errorf("streams of 1/%d and of 1/%d of the full length cannot be compared", a, b)
}
