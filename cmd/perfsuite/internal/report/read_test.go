package report

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// TestReadWhatWasWritten wants the report itself, and with it the same text in
// every format.
func TestReadWhatWasWritten(t *testing.T) {
	for _, want := range []*Report{sample(), crowds(), {Header: sample().Header}} {
		want.Header.Streams = !want.Header.Crowds
		got, err := Read(strings.NewReader(written(t, func(b *strings.Builder) error { return writeJSON(b, want) })))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		for _, f := range Formats() {
			after := written(t, func(b *strings.Builder) error { return f.Write(b, got) })
			if before := written(t, func(b *strings.Builder) error { return f.Write(b, want) }); after != before {
				t.Errorf("%s\n%s\nwant\n%s", f.Name, after, before)
			}
		}
	}
}

// head is a header in JSON.
const head = `{"machine":{"cpu":"Abacus"},"go":"go1.26","base":"rb","count":1,"runs":6,"scale":1,"subjects":[{"name":"rb"}]}`

// hostileReports are none, and must be told so in a short line.
func hostileReports() map[string]string {
	return map[string]string{
		``:                                    "unexpected end",
		`null`:                                "no array",
		`{}`:                                  "no array",
		`[]`:                                  "name its machine",
		`[` + head:                            "unexpected end",
		`[` + head + `]]`:                     "after top-level",
		`[` + head + `,` + head + `]`:         "two machines",
		`[` + head + `,null]`:                 "lacks its test",
		`[` + head + `,7]`:                    "cannot unmarshal",
		`[{"machine":{},"go":7}]`:             "cannot unmarshal",
		`[{"machine":{},"go":"g","scale":0}]`: "header",
		`[{"machine":{},"go":"g"}]`:           "header",
		`[` + strings.Replace(head, "6", "-6", 1):                                  "unexpected end",
		`[{"machine":{"cores":-1},"go":"g"}]`:                                      "header",
		`[` + head + `,{"test":"perf_1"}]`:                                         "lacks its test or its subject",
		result(`"seconds":-1`):                                                     "a number of perf_1 on rb",
		result(`"seconds":1e300`):                                                  "a number of",
		result(`"seconds":1e-300`):                                                 "a number of",
		result(`"seconds":1e999`):                                                  "cannot unmarshal",
		result(`"seconds":"` + long(1<<20) + `"`):                                  "cannot unmarshal",
		result(`"seconds":` + digits(1<<20)):                                       "cannot unmarshal",
		result(`"drop_seconds":-0.1`):                                              "a number of",
		result(`"peak_rss":-1`):                                                    "a number of",
		result(`"peak_rss":9223372036854775808`):                                   "cannot unmarshal",
		result(`"allocs":-1`):                                                      "a number of",
		result(`"runs":-1`):                                                        "a number of",
		result(`"crowd":{"live":0}`):                                               "a number of",
		result(`"crowd":{"live":1,"fill":-1}`):                                     "a number of",
		result(`"turns":[{"first":-1}]`):                                           "a number of",
		result(`"turns":[{"crowd":{"live":-7}}]`):                                  "a number of",
		result(`"turns":{}`):                                                       "cannot unmarshal",
		result(`"turns":[` + many(`{}`, 1<<21) + `]`):                              "fields",
		`[` + head + `,` + many(`{"test":"a","subject":"b"}`, mostResults+1) + `]`: "more than 10,000 results",
		`[` + many(`{}`, 1<<20) + `]`:                                              "lacks its test",
		strings.Repeat(`[`, 1<<20):                                                 "max depth",
		strings.Repeat(` `, mostBytes+1):                                           "more than 16.0 MiB",
		`[{"machine":{},"go":"g","date":"` + long(1<<20) + `"}]`:                   "parsing time",
		"[\x1b[31m]": "invalid character",
		"\xff\xfe[":  "invalid character",
	}
}

// result is a report with a result of such fields.
func result(fields string) string {
	return `[` + head + `,{"test":"perf_1","subject":"rb",` + fields + `}]`
}

func many(item string, times int) string { return strings.Repeat(item+",", times-1) + item }

func long(n int) string { return strings.Repeat("\\u001b", n/6) }

func digits(n int) string { return strings.Repeat("9", n) }

func TestReadHostile(t *testing.T) {
	for text, want := range hostileReports() {
		_, err := Read(strings.NewReader(text))
		if !errors.Is(err, ErrNoReport) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100q: error %v, want %q", text, err, want)
			continue
		}
		if s := err.Error(); len(s) > 1000 || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("%.100q: no short line: %.2000q", text, s)
		}
	}
}

var errDisk = errors.New("the disk is gone")

type brokenDisk struct{}

func (brokenDisk) Read([]byte) (int, error) { return 0, errDisk }

func TestReadOfABrokenDisk(t *testing.T) {
	in := io.MultiReader(strings.NewReader("["), brokenDisk{})
	if _, err := Read(in); !errors.Is(err, errDisk) || errors.Is(err, ErrNoReport) {
		t.Errorf("error %v", err)
	}
}

// oddReports can be shown, odd as they are.
var oddReports = []string{
	`[` + head + `]`,
	`[` + strings.Replace(head, `"rb"`, `"nobody"`, 1) + `,{"test":"a","subject":"b"}]`,
	`[{"machine":{},"go":"g","scale":1,"crowds":true},{"test":"a","subject":"b","turns":[{}]}]`,
	`[{"machine":{},"go":"g","scale":1,"crowds":true},{"test":"a","subject":"b","crowd":{"live":1},"turns":[{}]},{"test":"a","subject":"native:c","crowd":{"live":9223372036854775807},"turns":[{}]}]`,
	`[{"machine":{"memory":9223372036854775807,"cores":2147483647},"go":"g","scale":2147483647,"count":2147483647,"date":"9999-12-31T23:59:59Z"}]`,
	result(`"turns":[{}]`),
	result(`"turns":null,"error":""`),
	result(`"turns":[null,{"first":1e15,"seconds":1e-15,"peak_rss":9223372036854775807}],"first":1e-15,"seconds":1e15,"runs":2147483647,"allocs":9223372036854775807`),
	`[` + head + `,{"test":"\u001b[31m\n\u202e</script><b>","subject":"native:\u0000\"'&","text":"` + `a\tb\r\n` + `","error":"one\ntwo\u009b"}]`,
	`[` + head + `,` + many(`{"test":"perf_1","subject":"rb","seconds":1,"turns":[{"seconds":1}]}`, 3) + `]`,
}

func TestShowOdd(t *testing.T) {
	for _, text := range oddReports {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for name, shown := range showAll(t, r) {
			bad := map[string][]string{"html": {"json: unsupported", "<b>"}, "svg": {"NaN", "Inf", "<b>"}}[name]
			if bad == nil {
				bad = []string{"NaN", "Inf"}
			}
			for _, one := range bad {
				if strings.Contains(shown, one) {
					t.Errorf("%s has %s:\n%s", name, one, shown)
				}
			}
		}
	}
}

// showAll returns a report in all formats, and wants nothing in it that a terminal
// would obey.
func showAll(t *testing.T, r *Report) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range Formats() {
		text := written(t, func(b *strings.Builder) error { return f.Write(b, r) })
		if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && c != '\r' && unicode.IsControl(c) || c == '\u202e' }); i >= 0 {
			t.Errorf("%s has %q", f.Name, text[i:min(i+20, len(text))])
		}
		all[f.Name] = text
	}
	return all
}

// TestManySubjects has a tenth of what is read, each with a name of its own.
func TestManySubjects(t *testing.T) {
	r := &Report{Header: sample().Header}
	for i := range mostResults / 10 {
		name := number(int64(i))
		r.Results = append(r.Results, Result{Test: name, Subject: "native:" + name, First: 1, Seconds: 1})
	}
	inTurns(r.Results)
	r.Results[0].Subject = "rb"
	r.Header.Base = "rb"
	showAll(t, r)
}

func TestPart(t *testing.T) {
	r := sample()
	part := r.Part([]string{"perf_12"}, []string{"modernc", "goheap"}, "modernc")
	if len(part.Results) != 2 || part.Results[0].Subject != "modernc" || part.Results[1].Subject != "goheap" || part.Header.Base != "modernc" {
		t.Errorf("%+v", part)
	}
	if part = r.Part(r.Tests(), []string{"floor"}, "goheap"); len(part.Results) != 1 || len(part.Header.Subjects) != 0 {
		t.Errorf("%+v", part)
	}
	if part = r.Part(r.Tests(), r.SubjectNames(), "goheap"); !reflect.DeepEqual(part, r) {
		t.Errorf("the whole is %+v", part)
	}
	r.Results = r.Results[:1]
	if got := strings.Join(r.SubjectNames(), " "); got != "goheap modernc" {
		t.Errorf("subjects %s", got)
	}
}

// FuzzRead gives texts that were made of a report: what is read can be shown.
func FuzzRead(f *testing.F) {
	for _, text := range oddReports {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := Read(strings.NewReader(string(text))); err == nil {
			showAll(t, r)
		}
	})
}
