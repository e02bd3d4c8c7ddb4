package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
)

func TestParseDefaults(t *testing.T) {
	c, err := parseConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.tests) != 12 || len(c.subjects) != len(subject.Usual()) || c.base != "goheap" || c.count != 1 || c.scale != 1 || c.format.Name != "table" || c.output != "" || c.list {
		t.Errorf("%+v", c)
	}
	if c.turns() != 12*len(subject.Usual()) {
		t.Errorf("%d turns", c.turns())
	}
}

func TestParseTests(t *testing.T) {
	for list, want := range map[string]string{
		"perf_1":           "[perf_1]",
		"1":                "[perf_1]",
		"10, 5,1,5":        "[perf_1 perf_5 perf_10]",
		"perf_1.*":         "[perf_1 perf_10 perf_11 perf_12]",
		"1[12]":            "[perf_11 perf_12]",
		"perf_[23],perf_3": "[perf_2 perf_3]",
	} {
		c, err := parseConfig([]string{"-run", list})
		if err != nil {
			t.Errorf("-run %s: %v", list, err)
			continue
		}
		if got := fmt.Sprint(c.tests); got != want {
			t.Errorf("-run %s: %s, want %s", list, got, want)
		}
	}
}

func TestParseSubjects(t *testing.T) {
	c, err := parseConfig([]string{"-subjects", "floor, modernc,floor"})
	if err != nil {
		t.Fatal(err)
	}
	if got := subjectNames(c.subjects); got != "floor, modernc" {
		t.Errorf("subjects %s", got)
	}
	if c.base != "floor" {
		t.Errorf("base %s, want the first, as goheap is not there", c.base)
	}
}

func TestParseOthers(t *testing.T) {
	c, err := parseConfig([]string{"-quick", "-count", "3", "-base", "rb", "-format", "json", "-o", "x.json", "-list"})
	if err != nil {
		t.Fatal(err)
	}
	if c.scale != quickScale || c.count != 3 || c.base != "rb" || c.format.Name != "json" || c.output != "x.json" || !c.list {
		t.Errorf("%+v", c)
	}
}

// TestParseErrors wants one line that names the bad word and what is valid.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		args  string
		wants string
	}{
		{"-run perf_13", `"perf_13" perf_1 perf_12`},
		{"-run 0", `"0" perf_1 perf_12`},
		{"-run perf", `"perf" perf_1`},
		{"-run 1,,2", `"" perf_1`},
		{"-run (", `"(" perf_1`},
		{"-subjects rb,glibc", `"glibc" rb, goheap, floor`},
		{"-subjects ,", `"" rb`},
		{"-base rb -subjects floor,goheap", `"rb" floor, goheap`},
		{"-format poem", `"poem" table, json`},
		{"-count 0", `-count 0`},
		{"-count many", `many`},
		{"-fast", `-fast`},
		{"perf_1", `"perf_1" -h`},
	} {
		_, err := parseConfig(strings.Fields(c.args))
		if err == nil {
			t.Errorf("%s is taken", c.args)
			continue
		}
		for want := range strings.FieldsSeq(c.wants) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %s", c.args, err, want)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error of several lines: %q", c.args, err)
		}
	}
}

func TestParseHelp(t *testing.T) {
	if _, err := parseConfig([]string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v", err)
	}
	var b strings.Builder
	printHelp(&b)
	set := newFlagSet(new(rawFlags))
	set.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(b.String(), "\n  -"+f.Name) {
			t.Errorf("the help lacks -%s", f.Name)
		}
	})
}

func TestPrintList(t *testing.T) {
	var b strings.Builder
	printList(&b, subject.All())
	for _, want := range []string{"perf_1 ", "perf_12", "goheap", "floor"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the list lacks %s", want)
		}
	}
}
