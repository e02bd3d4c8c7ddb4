package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

func TestScaleJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scale.json")
	out, errs, status := perfsuite(t, "scale", "-live", "30,2000", "-subjects", "rb,goheap,floor", "-format", "json", "-o", file)
	if status != 0 || out != "" || errs != "" {
		t.Errorf("status %d, %q on stdout, %q on stderr", status, out, errs)
	}
	r := readReport(t, file)
	if len(r.Results) != 6 {
		t.Fatalf("%d results", len(r.Results))
	}
	for i, one := range r.Results {
		c := one.Crowd
		if c == nil || c.Live != []int64{30, 2000}[i/3] || c.Fill <= 0 || c.Replace <= 0 || c.Free <= 0 || one.Error != "" || one.DropSeconds == nil {
			t.Errorf("%+v with %+v", one, c)
		}
		if least := int64(10_900_000); one.Allocs < least || one.Frees != one.Allocs {
			t.Errorf("%+v is less than %d blocks", one, least)
		}
	}
}

func TestScaleTableBesideNative(t *testing.T) {
	needNative(t)
	out, errs, status := perfsuite(t, "scale", "-native", "-live", "40", "-subjects", "rb,native:glibc")
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
	for _, want := range []string{"live_40", "blocks of 16 to 64 B", "25,000 rounds", "replace, ns", "native:glibc │", "rb as a multiple", "the best of them"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
}

// plenty is a machine on which all defaults fit.
var plenty = room{total: 1 << 40, available: 1 << 39}

// parseScale is what the command makes of its arguments on a machine.
func parseScale(t *testing.T, r room, args string) (*config, error) {
	t.Helper()
	var f scaleFlags
	set := newScaleSet(&f)
	if err := parseArgs(set, strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	return f.parse(set.Args(), r)
}

func TestParseScale(t *testing.T) {
	c, err := parseScale(t, plenty, "-live 7,3000000 -count 2 -subjects rb,floor")
	if err != nil || len(c.streams) != 2 || c.turns() != 8 || len(c.problems) != 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	if j := c.streams[1]; j.name != "live_3000000" || j.order.Crowd != work.NewCrowd(3_000_000) {
		t.Errorf("%+v", j)
	}
}

func TestParseScaleErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-live 0":                            `"0"`,
		"-live 5,many":                       `"many"`,
		"-live 5,":                           `""`,
		"-live 99999999999999999999":         "can count",
		"-live 9223372036854775807":          "can count",
		"-live 5,6,5":                        "5 twice",
		"-live 1,2,3,4,5,6,7":                "at most 6",
		"-format csv":                        "table, json",
		"-subjects nobody":                   "valid are rb",
		"-live 5 extra":                      `"extra"`,
		"-live 9,100000000":                  "100,000,000 live blocks take about 12.7 GiB on goheap, and 2.0 GiB",
		"-live 100000000 -subjects rb":       "6.7 GiB on rb",
		"-live 90000000 -subjects rb,goheap": "on goheap",
	} {
		_, err := parseScale(t, room{total: 8 << 30, available: 2 << 30}, args)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", args, err, want)
		}
	}
	if _, errs, status := perfsuite(t, "scale", "-live", "0"); status != exitUsage || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q on stderr", status, errs)
	}
}

// TestScaleDefault wants what fits, and a line where that is not all.
func TestScaleDefault(t *testing.T) {
	for _, c := range []struct {
		room    room
		names   string
		problem string
	}{
		{plenty, "live_1000 live_100000 live_10000000 live_100000000", ""},
		{room{8 << 30, 7 << 30}, "live_1000 live_100000 live_10000000", "about 6.7 GiB on rb, and the default takes no more than 4.0 GiB, half of the memory;"},
		{room{8 << 30, 1 << 29}, "live_1000 live_100000", "the 0.5 GiB of memory that are available"},
		{room{}, "live_1000", "is not known"},
	} {
		got, err := parseScale(t, c.room, "-subjects rb")
		if err != nil {
			t.Fatal(err)
		}
		var names, problems []string
		for _, j := range got.streams {
			names = append(names, j.name)
		}
		for _, p := range got.problems {
			problems = append(problems, p.Error())
		}
		if strings.Join(names, " ") != c.names || strings.Join(problems, "\n") == "" != (c.problem == "") || !strings.Contains(strings.Join(problems, "\n"), c.problem) {
			t.Errorf("%+v: %v, problems %v", c.room, names, problems)
		}
	}
}

// TestScaleWhereMemoryIsUnknown refuses nothing.
func TestScaleWhereMemoryIsUnknown(t *testing.T) {
	if c, err := parseScale(t, room{}, "-live 1000000000"); err != nil || len(c.streams) != 1 {
		t.Errorf("%v", err)
	}
}

// TestScaleMedians gives three turns with different times for each part.
func TestScaleMedians(t *testing.T) {
	crowd := work.Crowd{Live: 10, Rounds: 2, Replace: 50}
	one := &tally{job: job{name: "live_10", order: turn.Order{Crowd: crowd}}, subject: "rb"}
	for _, fill := range []float64{4, 40, 2} {
		out := outcome(fill)
		out.Phases = &turn.Phases{Fill: fill, Replace: 100 * fill, Free: 8 / fill}
		one.outcomes = append(one.outcomes, out)
	}
	r := one.result()
	if r.Crowd == nil || r.Crowd.Live != 10 || r.Crowd.Fill != 0.2 || r.Crowd.Replace != 4 || r.Crowd.Free != 0.1 {
		t.Errorf("%+v", r.Crowd)
	}
	if len(r.Turns) != 3 || r.Turns[1].Crowd.Fill != 2 {
		t.Errorf("%+v", r.Turns)
	}
}
