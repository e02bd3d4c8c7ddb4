package memtest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memtest"
	"github.com/cookmem-go/cookmem/segment"
)

// report stands in for a test: it collects what would fail it.
type report struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *report) Name() string     { return "TestOfUser" }
func (r *report) Helper()          {}
func (r *report) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *report) Errorf(format string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, a...))
}
func (r *report) Fatal(a ...any) { r.errors = append(r.errors, fmt.Sprint(a...)); panic(r) }

// run runs a user's test over a provider that counts, and returns what fails it.
// Whatever the test does, all memory must have been given back.
func run(t *testing.T, test func(mc *memctx.Context)) []string {
	t.Helper()
	r := &report{}
	counter := segment.Counting(segment.Heap())
	mc := memtest.New(r, &memctx.Options{Provider: counter})
	test(mc)
	for _, f := range r.cleanups {
		f()
	}
	if counter.Bytes() != 0 || mc.Name() != "TestOfUser" {
		t.Errorf("%d bytes were not given back by %q", counter.Bytes(), mc.Name())
	}
	return r.errors
}

func alloc(t *testing.T, mc *memctx.Context, n int) unsafe.Pointer {
	t.Helper()
	p, err := mc.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// leaky allocates a block that its caller may forget.
func leaky(t *testing.T, mc *memctx.Context) unsafe.Pointer { return alloc(t, mc, 100) }

// recovering calls f and forgets its faults, as a server's handler may.
func recovering(f func()) {
	defer func() { _ = recover() }()
	f()
}

func TestSoundTestsPass(t *testing.T) {
	for name, test := range map[string]func(mc *memctx.Context){
		"nothing":      func(*memctx.Context) {},
		"all freed":    func(mc *memctx.Context) { mc.Free(alloc(t, mc, 100)) },
		"reset":        func(mc *memctx.Context) { alloc(t, mc, 100); mc.Reset() },
		"closed by it": func(mc *memctx.Context) { mc.Free(alloc(t, mc, 100)); mc.Close() },
		"refused":      func(mc *memctx.Context) { mc.SetLimit(0); mc.Alloc(1) },
	} {
		if errs := run(t, test); len(errs) != 0 {
			t.Errorf("%s: %q", name, errs)
		}
	}
}

// TestFailures requires exactly one report for each way to go wrong, with the
// function that is to blame.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		test func(mc *memctx.Context)
		want []string
	}{
		"leak": {func(mc *memctx.Context) {
			for range 2 {
				leaky(t, mc)
			}
		},
			[]string{"memctx: 2 blocks of 200 bytes not freed, the first of 100", "allocated at\n\t", "memtest_test.leaky\n"}},
		"leak at its own Close": {func(mc *memctx.Context) { leaky(t, mc); mc.Close() },
			[]string{"memctx: 1 block of 100 bytes not freed", "memtest_test.leaky\n"}},
		"double free": {func(mc *memctx.Context) { p := leaky(t, mc); mc.Free(p); recovering(func() { mc.Free(p) }) },
			[]string{"memctx: Free: double free", `"TestOfUser"`, "allocated at\n\t", "memtest_test.leaky\n", "freed at\n\t", "memtest_test.TestFailures"}},
		"write past the end, freed": {func(mc *memctx.Context) {
			p := leaky(t, mc)
			at := memctx.AddrOf(p).Bytes(101)
			old := at[100]
			at[100]++
			recovering(func() { mc.Free(p) })
			at[100] = old
			mc.Free(p)
		}, []string{"write past the block's end", "allocated at\n\t", "memtest_test.leaky\n"}},
		"write after free": {func(mc *memctx.Context) {
			p := leaky(t, mc)
			mc.Free(p)
			*(*byte)(p) = 1
		}, []string{"write after Free", "byte 0 is 01 dd", "memtest_test.leaky\n", "freed at"}},
	} {
		errs := run(t, c.test)
		if name == "write after free" { // by Check, and by Close
			if len(errs) != 2 {
				t.Errorf("%s: %d reports", name, len(errs))
				continue
			}
			errs = errs[1:]
		}
		if len(errs) != 1 {
			t.Errorf("%s: %d reports: %q", name, len(errs), errs)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(errs[0], want) {
				t.Errorf("%s: the report lacks %q:\n%s", name, want, errs[0])
			}
		}
	}
}

// TestDamageAtTheEnd breaks a guard and leaves it: the test fails, and the memory
// is given back all the same.
func TestDamageAtTheEnd(t *testing.T) {
	errs := run(t, func(mc *memctx.Context) {
		p := leaky(t, mc)
		memctx.AddrOf(p).Bytes(101)[100]++
	})
	if len(errs) != 2 || !strings.Contains(errs[0], "write past the block's end") || !strings.Contains(errs[1], "Close: write past") {
		t.Errorf("reports are %q", errs)
	}
}

// counting is an observer of the user's own.
type counting struct{ events int }

func (c *counting) Observe(diag.Event) { c.events++ }

func TestOwnObserverAndOptions(t *testing.T) {
	c := &counting{}
	mc := memtest.New(t, &memctx.Options{Observer: c, Name: "own", Limit: 1 << 20})
	mc.Free(alloc(t, mc, 10))
	if c.events != 3 || mc.Name() != "own" || mc.Limit() != 1<<20 {
		t.Errorf("%d events, name %q, limit %d", c.events, mc.Name(), mc.Limit())
	}
}

func TestInvalidOptionsEndTheTest(t *testing.T) {
	r := &report{}
	defer func() {
		if recover() != r || len(r.errors) != 1 || !strings.Contains(r.errors[0], "limit -1 is negative") {
			t.Errorf("reports are %q", r.errors)
		}
	}()
	memtest.New(r, &memctx.Options{Limit: -1})
}

// TestOtherPanicsGoOn does not swallow what is no fault.
func TestOtherPanicsGoOn(t *testing.T) {
	own := errors.New("the provider's own")
	r := &report{}
	mc := memtest.New(r, &memctx.Options{Provider: panicking{own}})
	alloc(t, mc, 1)
	defer func() {
		if got := recover(); got != own {
			t.Errorf("recovered %v", got)
		}
	}()
	r.cleanups[0]()
}

// panicking panics when it is to take something back.
type panicking struct{ with error }

func (p panicking) Acquire(min, max int) (segment.Segment, error) {
	return segment.Heap().Acquire(min, max)
}
func (p panicking) Release(segment.Segment) error { panic(p.with) }
