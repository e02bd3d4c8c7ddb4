package memctx_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// mode is a kind of context.
type mode struct {
	name    string
	options memctx.Options
}

// modes are the kinds of contexts that keep their blocks or watch them differently.
var modes = []mode{
	{"plain", memctx.Options{}},
	{"exact", memctx.Options{ExactSize: true}},
	{"guard", memctx.Options{Guard: true}},
	{"checked", memctx.Options{Checked: true}},
	{"all", memctx.Options{Guard: true, Stacks: true, Observer: quiet{}}},
}

// isChecked reports whether a context with these options looks for misuse as far
// as it can.
func isChecked(o memctx.Options) bool { return o.Checked || o.Stacks }

// isExact reports whether its blocks know the size that was asked for.
func isExact(o memctx.Options) bool { return o.ExactSize || o.Guard || isChecked(o) }

// slow is set for processors that are emulated. Every test runs there too, but
// shorter: what less says, and not every mode with every kind of tree.
var slow = os.Getenv("COOKMEM_SLOW") != ""

// less is n, or a fifth of it, rounded up, where the processor is slow.
func less(n int) int {
	if slow {
		return (n + 4) / 5
	}
	return n
}

// eachTreeAndMode runs f as a subtest for each kind of tree in each mode, but for
// checked modes, which are slow, with one kind of tree. Where the processor is
// slow too, the others have one mode.
func eachTreeAndMode(t *testing.T, f func(t *testing.T, o memctx.Options)) {
	for _, kind := range tree.Kinds() {
		for _, mode := range modes {
			o := mode.options
			o.Tree = kind
			if kind != tree.RB && (isChecked(o) || slow && isExact(o)) {
				continue
			}
			t.Run(fmt.Sprintf("%v-%s", kind, mode.name), func(t *testing.T) { f(t, o) })
		}
	}
}

// TestModel runs random operations beside a model, and compares everything once
// in a while.
func TestModel(t *testing.T) {
	seed := segtest.Seed(t)
	retains := []memctx.Size{0, 1, 4 << 20}
	i := uint64(0)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		for _, retain := range retains {
			i++
			o.Retain = retain
			runModel(t, model.Config{Options: o, Every: 64}, seed+i, 6000)
		}
	})
}

// TestModelEveryStep compares everything after every operation.
func TestModelEveryStep(t *testing.T) {
	seed := segtest.Seed(t)
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Provider = segment.NewCache(segment.Heap(), 16<<20)
		runModel(t, model.Config{Options: o, Every: 1, MaxBytes: 1 << 20}, seed, 1500)
	})
}

// TestModelResizing has few blocks that are mostly large, in segments of their own that
// the provider resizes, in place and not.
func TestModelResizing(t *testing.T) {
	seed := segtest.Seed(t)
	grown, moved := 0, 0
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		source := segtest.NewRestless(segment.Heap(), 64)
		o.Provider = source
		r := rand.New(rand.NewPCG(seed, uint64(o.Tree)))
		m, err := model.New(model.Config{Options: o, Every: 1, MaxBlocks: 6})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.RunLarge(r, less(1500)); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		more, away := source.Grown()
		grown, moved = grown+more, moved+away
	})
	if grown < 20 || moved == 0 { // some 250 as a rule; fewer where the system is slow
		t.Errorf("%d segments grew and %d moved", grown, moved)
	}
}

// runModel applies n random operations, or less, and closes the context.
func runModel(t *testing.T, c model.Config, seed uint64, n int) *model.Model {
	t.Helper()
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.RunRandom(rand.New(rand.NewPCG(seed, uint64(c.Options.Tree))), less(n)); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

// quiet is an observer that does nothing.
type quiet struct{}

func (quiet) Observe(diag.Event) {}
