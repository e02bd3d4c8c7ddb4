package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
)

// htmlReport has a subject of a hostile name that failed with a hostile error,
// and one that is native.
func htmlReport() *Report {
	r := sample()
	r.Results[1].Subject, r.Results[3].Subject = "rb", "rb"
	native := r.Results[3]
	native.Subject, native.Seconds = "native:glibc", 0.8
	r.Results = append(r.Results, native)
	r.Results[4].Subject, r.Results[4].Error = hostile, `</script><script>alert("x")</script>`
	r.Header.Subjects = []Subject{{Name: hostile, Text: hostile, Note: hostile}}
	return r
}

var (
	script = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	style  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	data   = regexp.MustCompile(`(?m)^const report = (.*);$`)
)

// wellFormed reads a page as browsers do, apart from its script and style, and
// wants every element to be closed by its own end.
func wellFormed(t *testing.T, page string) map[string]int {
	t.Helper()
	page = style.ReplaceAllString(script.ReplaceAllString(page, ""), "")
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta", "input"}, xml.HTMLEntity
	found := map[string]int{}
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		switch e := token.(type) {
		case xml.StartElement:
			found[e.Name.Local]++
			open = append(open, e.Name.Local)
		case xml.EndElement:
			last := len(open) - 1
			if last < 0 || open[last] != e.Name.Local {
				t.Fatalf("</%s> ends %q", e.Name.Local, open)
			}
			open = open[:last]
		}
	}
	if len(open) != 0 {
		t.Errorf("%q have no end", open)
	}
	return found
}

func TestHTML(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return writeHTML(b, htmlReport()) })
	found := wellFormed(t, text)
	// Two tests, the means and the comparison with the native subject have a
	// body of the tables each.
	if found["tbody"] != 4 || found["noscript"] != 1 || found["svg"] != 1 {
		t.Errorf("elements %v", found)
	}
	if n := len(script.FindAllString(text, -1)); n != 1 {
		t.Errorf("%d scripts, want one", n)
	}
	for _, want := range []string{
		"Abacus, 2 cores", "go1.26", "2026-05-04", "queue of 1,024 blocks", "90,000 allocs, 90,000 frees, 19.5 MiB asked for",
		"400 ms", "1.5 MiB", "1.00 ns", "rb beside the best native subject", "glibc 0.800", "prefers-color-scheme: dark", "@media print",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	selfContained(t, text)
}

// TestHTMLEscapes wants the hostile name and error only as text.
func TestHTMLEscapes(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return writeHTML(b, htmlReport()) })
	if strings.Contains(text, hostile) || strings.Contains(text, `alert("x")`) {
		t.Error("a name or an error is not escaped")
	}
	if !strings.Contains(html.UnescapeString(text), `failed: </script><script>alert("x")</script>`) {
		t.Error("the error is not shown")
	}
}

// TestHTMLData reads what the script gets.
func TestHTMLData(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return writeHTML(b, htmlReport()) })
	found := data.FindStringSubmatch(text)
	if found == nil {
		t.Fatal("the script has no data")
	}
	var got pageData
	if err := json.Unmarshal([]byte(found[1]), &got); err != nil {
		t.Fatal(err)
	}
	if got.Base != "goheap" || len(got.Measures) != len(Measures()) || len(got.Subjects) != 4 || len(got.Tests) != 2 {
		t.Errorf("%+v", got)
	}
	first := got.Tests[0].Results[0]
	if first.Subject != "goheap" || first.Ratio != 1 || first.Values["seconds"].Median != 0.4 || first.Values["peak_rss"].Most != 3<<19 {
		t.Errorf("%+v", first)
	}
	failed := got.Tests[1].Results[2]
	if failed.Subject != hostile || failed.Error == "" || len(failed.Values) != 0 {
		t.Errorf("%+v", failed)
	}
	if _, known := got.Tests[0].Results[1].Values["peak_rss"]; known {
		t.Error("a size out of nothing")
	}
}

func TestHTMLOfNothing(t *testing.T) {
	r := sample()
	r.Results, r.Header.Scale, r.Header.Interrupted = nil, 10, true
	text := written(t, func(b *strings.Builder) error { return writeHTML(b, r) })
	wellFormed(t, text)
	for _, want := range []string{"1/10", "Interrupted"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageBreaksWords wants a rule for texts of one long word, which would stick out
// of their frames.
func TestPageBreaksWords(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return writeHTML(b, sample()) })
	for line := range strings.Lines(text) {
		if strings.Contains(line, "overflow-wrap: anywhere") && strings.Contains(line, ".panel p,") && strings.Contains(line, "tbody th,") {
			return
		}
	}
	t.Error("no rule breaks long words")
}
