package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// Limits of what is read as a report: a week of turns stays below them, and no
// file costs more than some hundred MiB.
const (
	mostBytes   = 16 << 20 // of the JSON
	mostResults = 10_000
	mostFields  = 1 << 20 // of a result with all its turns; an empty turn takes 20 times its text
)

// ErrNoReport is wrapped by the errors of Read that are about the contents.
var ErrNoReport = errors.New("not a report in JSON")

// Read reads what the format json wrote. What it returns every format can show,
// whoever made the file: numbers are what was or could have been measured, and
// texts hold nothing that a terminal would take for a command. The text of an
// error is a short line.
func Read(in io.Reader) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostBytes {
		return nil, fmt.Errorf("%w: it has more than %s", ErrNoReport, size(mostBytes))
	}
	r := new(Report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoReport, Short(err.Error()))
	}
	if err := r.Header.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoReport, err)
	}
	r.clean()
	return r, nil
}

// ReadFile reads the report in a file.
func ReadFile(name string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadNamed(name, f)
}

// ReadNamed is Read for what has a name: the error of what is no report tells it.
func ReadNamed(name string, in io.Reader) (*Report, error) {
	r, err := Read(in)
	if errors.Is(err, ErrNoReport) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, err
}

// UnmarshalJSON reads what MarshalJSON wrote. The header may be at any place;
// it is the object with a machine.
func (r *Report) UnmarshalJSON(text []byte) error {
	*r = Report{}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, errors.New("it is no array"))
	}
	for d.More() {
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			return err
		}
		if err := r.add(one); err != nil {
			return err
		}
	}
	return nil // json saw the end before it called
}

func (r *Report) add(text json.RawMessage) error {
	var kind struct {
		Machine *Machine `json:"machine"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return err
	}
	if kind.Machine != nil {
		return r.addHeader(text)
	}
	if len(r.Results) == mostResults || bytes.Count(text, []byte(",")) > mostFields {
		return fmt.Errorf("more than %s results, or %s fields in one", number(mostResults), number(mostFields))
	}
	var one Result
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	r.Results = append(r.Results, one)
	return one.check()
}

func (r *Report) addHeader(text json.RawMessage) error {
	if r.Header.Go != "" {
		return errors.New("it names two machines, and a report is of one")
	}
	return json.Unmarshal(text, &r.Header)
}

func (h *Header) check() error {
	switch {
	case h.Go == "":
		return errors.New("it does not name its machine")
	case h.Count < 0 || h.Runs < 0 || h.Scale < 1 || h.Machine.Cores < 0 || h.Machine.Memory < 0 || len(h.Subjects) > mostResults:
		return errors.New("a number in its header is none that perfsuite writes")
	}
	return nil
}

func (r *Result) check() error {
	if r.Test == "" || r.Subject == "" {
		return errors.New("a result lacks its test or its subject")
	}
	ok := r.Runs >= 0 && r.Allocs >= 0 && r.Reallocs >= 0 && r.Frees >= 0 && r.Bytes >= 0 && r.Crowd.possible()
	for _, t := range append([]Turn{r.Medians()}, r.Turns...) {
		ok = ok && t.possible() && t.Crowd.possible()
	}
	if !ok {
		return fmt.Errorf("a number of %s on %s cannot have been measured", Short(r.Test), Short(r.Subject))
	}
	return nil
}

// possible reports whether the numbers of a turn can be those of a process.
func (t *Turn) possible() bool {
	for _, m := range Measures() {
		v, _ := m.Of(t)
		if isTime := strings.HasSuffix(m.Head, ", s"); v < 0 || isTime && !isSeconds(v) {
			return false
		}
	}
	return true
}

// possible does that for a crowd, of which there may be none.
func (c *Crowd) possible() bool {
	return c == nil || c.Live > 0 && isSeconds(c.Fill) && isSeconds(c.Replace) && isSeconds(c.Free)
}

// isSeconds reports whether v can be a time. The quotient of two is finite then.
func isSeconds(v float64) bool { return v == 0 || v >= 1e-15 && v <= 1e15 }

// clean makes all texts of a report printable.
func (r *Report) clean() {
	h := &r.Header
	all := []*string{&h.Machine.CPU, &h.Machine.OS, &h.Machine.Arch, &h.Go, &h.Base}
	for i := range h.Subjects {
		s := &h.Subjects[i]
		all = append(all, &s.Name, &s.Text, &s.Note)
	}
	for i := range r.Results {
		one := &r.Results[i]
		all = append(all, &one.Test, &one.Text, &one.Subject, &one.Error)
	}
	for _, text := range all {
		*text = Printable(*text)
	}
}

// Printable makes a line of a text that came with a file: what a terminal could
// take for a command is replaced.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Short makes a line of a text that came with a file, and cuts it where it would
// fill a screen.
func Short(text string) string {
	const most = 200
	if runes := []rune(Printable(text)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return Printable(text)
}
