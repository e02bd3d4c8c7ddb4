// Package memtest provides contexts for tests, which fail a test that leaks.
//
// A context of [New] looks for misuse as far as it can, and remembers where each
// block was allocated. When the test ends, every block that is still live fails
// it, under the stack that allocated it; so does every fault, even one that
// somebody has recovered.
//
//	func TestParser(t *testing.T) {
//		mc := memtest.New(t, nil)
//		tree := Parse(mc, text)
//		...
//		tree.Free()
//	}
package memtest

import (
	"errors"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
)

// New returns a context for the length of a test, benchmark or fuzz input. It has
// the given options, of which nil means the default, and Checked, Stacks and Guard
// besides. Without a name it has that of the test. Invalid options end the test.
//
// The test fails for every fault at the time it is raised, for every block that is
// live when the context is closed, and if [memctx.Context.Check] finds the heap
// damaged at the end. The context is closed when the test ends, if the test has not
// done so. An observer among the options is told everything as well.
func New(tb testing.TB, o *memctx.Options) *memctx.Context {
	tb.Helper()
	var options memctx.Options
	if o != nil {
		options = *o
	}
	options.Checked, options.Stacks, options.Guard = true, true, true
	if options.Name == "" {
		options.Name = tb.Name()
	}
	options.Observer = &reporter{tb: tb, also: options.Observer}
	mc, err := memctx.New(&options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { end(tb, mc) })
	return mc
}

// reporter fails a test for what should not happen.
type reporter struct {
	tb   testing.TB
	also diag.Observer
}

// Observe implements [diag.Observer].
func (r *reporter) Observe(e diag.Event) {
	var fault *diag.Fault
	if e.Kind == diag.EventLeak || errors.As(e.Err, &fault) {
		r.tb.Errorf("%v", e.Err)
	}
	if r.also != nil {
		r.also.Observe(e)
	}
}

// end closes the context. What Check or the first Close finds has then been
// reported, and the second Close gives everything back.
func end(tb testing.TB, mc *memctx.Context) {
	if err := guarded(mc.Check); err != nil && !errors.Is(err, memctx.ErrClosed) {
		tb.Errorf("at the end of the test: %v", err)
	}
	if _, failed := guarded(mc.Close).(*diag.Fault); failed {
		_ = guarded(mc.Close)
	}
	if err := guarded(mc.Close); err != nil {
		tb.Errorf("at the end of the test: %v", err)
	}
}

// guarded calls f and returns a fault that it raises as an error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*diag.Fault)
			if !ok {
				panic(r)
			}
			err = fault
		}
	}()
	return f()
}
