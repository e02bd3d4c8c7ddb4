package lint

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// budgets are the most instructions that the short ways may execute on amd64, from
// their first to the first return: what docs/DESIGN.md allows them, and what
// `make bench` measures. A new Go version may need another number; look at what it
// does before changing one here.
var budgets = map[string]int{
	"Alloc": 28,
	"Free":  30,
}

// assemblyLine is an instruction in the compiler's listing: offset and mnemonic.
var assemblyLine = regexp.MustCompile(`^\t0x([0-9a-f]+) \d+ \([^)]*\)\t([A-Z0-9]+)`)

// straightRun returns the mnemonics of a method of Context up to its first return.
// Lines that make no code are left out: their offset is that of the next one.
func straightRun(listing, method string) (run []string) {
	_, text, found := strings.Cut(listing, "memctx.(*Context)."+method+" STEXT")
	if !found {
		return nil
	}
	last := ""
	for line := range strings.Lines(text) {
		m := assemblyLine.FindStringSubmatch(line)
		if m == nil || m[2] == "TEXT" || m[2] == "PCDATA" || m[2] == "FUNCDATA" {
			continue
		}
		if m[1] == last {
			run = run[:len(run)-1]
		}
		last = m[1]
		if run = append(run, m[2]); m[2] == "RET" {
			return run
		}
	}
	return nil
}

// overBudget complains about methods that execute too much, or call something.
func overBudget(listing string, budgets map[string]int) (complaints []string) {
	for method, most := range budgets {
		run := straightRun(listing, method)
		switch {
		case run == nil:
			complaints = append(complaints, method+": not in the listing")
		case strings.Contains(strings.Join(run, " "), "CALL"):
			complaints = append(complaints, method+": the short way calls something")
		case len(run) > most:
			complaints = append(complaints, fmt.Sprintf("%s: the short way has %d instructions, the budget is %d: %v", method, len(run), most, run))
		}
	}
	return complaints
}

func TestShortWaysStayInBudget(t *testing.T) {
	_, listing, err := goCommand([]string{"GOARCH=amd64"}, "build", "-gcflags=-S", "./memctx")
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, listing)
	}
	holds(t, overBudget(listing, budgets))
}

func TestShortWaysStayInBudgetCanFail(t *testing.T) {
	const listing = "memctx.(*Context).Free STEXT nosplit size=9\n" +
		"\t0x0000 00000 (/x/free.go:21)\tTEXT\tFree(SB)\n" +
		"\t0x0000 00000 (/x/free.go:21)\tNOP\n" +
		"\t0x0000 00000 (/x/free.go:21)\tPUSHQ\tBP\n" +
		"\t0x0001 00001 (/x/free.go:22)\tMOVQ\tSP, BP\n" +
		"\t0x0004 00004 (/x/free.go:23)\tRET\n"
	if run := straightRun(listing, "Free"); len(run) != 3 {
		t.Errorf("the run is %v", run)
	}
	holds(t, overBudget(listing, map[string]int{"Free": 3}))
	fails(t, overBudget(listing, map[string]int{"Free": 2}), "has 3 instructions, the budget is 2")
	fails(t, overBudget(strings.Replace(listing, "MOVQ", "CALL", 1), map[string]int{"Free": 3}), "calls something")
	fails(t, overBudget(listing, map[string]int{"Alloc": 3}), "not in the listing")
}
