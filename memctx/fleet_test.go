package memctx_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

func TestLimitsText(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"acme=64MiB":                   "acme=64MiB",
		" b = 1 KiB , *=unlimited,a=7": "*=unlimited,a=7B,b=1KiB",
		`a="2KiB",a=3KiB`:              "a=3KiB",
	} {
		var l memctx.Limits
		if err := l.Set(text); err != nil || l.String() != want {
			t.Errorf("Set(%q) = %v: %q, want %q", text, err, l.String(), want)
		}
		var again memctx.Limits
		if err := again.Set(l.String()); err != nil || again.String() != l.String() {
			t.Errorf("%q reads as %q, %v", l.String(), again.String(), err)
		}
		data, err := json.Marshal(l)
		var decoded memctx.Limits
		if err = errors.Join(err, json.Unmarshal(data, &decoded)); err != nil || decoded.String() != l.String() {
			t.Errorf("%s reads as %q, %v", data, decoded.String(), err)
		}
	}
	l := memctx.Limits{"kept": 5}
	for _, bad := range []string{"a", "a=", "a=x", "b=1,a=-5", `a="1`} {
		if err := l.Set(bad); err == nil || !strings.Contains(err.Error(), "a: ") || l.String() != "kept=5B" {
			t.Errorf("Set(%q) = %v: %q", bad, err, l.String())
		}
	}
	for _, bad := range []string{`{"a": "5 parsecs"}`, `{"b": 1, "a": null}`, `{"a": -1}`, `{"a": {}}`} {
		if err := json.Unmarshal([]byte(bad), &l); err == nil || !strings.Contains(err.Error(), "a: ") || l.String() != "kept=5B" {
			t.Errorf("%s = %v: %q", bad, err, l.String())
		}
	}
	if err := json.Unmarshal([]byte(`{"a": 1}`), &l); err != nil || l.String() != "a=1B,kept=5B" {
		t.Errorf("%q, %v", l.String(), err)
	}
	if err := json.Unmarshal([]byte(`[]`), &l); err == nil || !strings.Contains(err.Error(), "memctx limits") {
		t.Errorf("limits from an array: %v", err)
	}
	if (*memctx.Limits)(nil).String() != "" {
		t.Error("nil limits have a text")
	}
}

func TestFleet(t *testing.T) {
	f := memctx.NewFleet("tenants", segment.Heap())
	early := f.Budget("early")
	if f.All().Limit() != math.MaxInt || early.Limit() != math.MaxInt || f.Budget("early") != early {
		t.Errorf("limits before Apply: %d and %d", f.All().Limit(), early.Limit())
	}
	limits := memctx.Limits{"tenants": 1 << 20, "acme": 256 << 10, memctx.Others: 64 << 10}
	f.Apply(limits)
	limits["acme"] = 1 // a copy was taken
	acme := f.Budget("acme")
	if f.All().Limit() != 1<<20 || early.Limit() != 64<<10 || acme.Limit() != 256<<10 || f.Budget("late").Limit() != 64<<10 {
		t.Errorf("limits %d, %d, %d, %d", f.All().Limit(), early.Limit(), acme.Limit(), f.Budget("late").Limit())
	}
	mc := newContext(t, &memctx.Options{Name: "mc", Provider: acme})
	mustAlloc(t, mc, 200<<10)
	if f.All().Used() != mc.Footprint() {
		t.Errorf("%d used by all, footprint %d", f.All().Used(), mc.Footprint())
	}
	f.Apply(memctx.Limits{"acme": 100 << 10}) // below what is used
	_, err := mc.Alloc(200 << 10)
	mustFail(t, err, memctx.ErrLimit, "Alloc")
	if f.All().Limit() != math.MaxInt || early.Limit() != math.MaxInt {
		t.Errorf("limits that are not listed: %d, %d", f.All().Limit(), early.Limit())
	}
	f.Apply(memctx.Limits{"acme": 1 << 20, memctx.Others: 0})
	mustAlloc(t, mc, 200<<10)
	_, err = newContext(t, &memctx.Options{Provider: early}).Alloc(1)
	mustFail(t, err, memctx.ErrLimit, "Alloc")
	var names []string
	for b := range f.Budgets() {
		names = append(names, b.Name())
	}
	if got := fmt.Sprint(names); got != "[acme early late]" {
		t.Errorf("budgets %s", got)
	}
	if memctx.NewFleet("default", nil).Budget("x") == nil {
		t.Error("no budget over the default cache")
	}
}

// TestFleetWhileInUse changes limits under contexts that allocate. No budget may
// use more than the largest limit it ever had.
func TestFleetWhileInUse(t *testing.T) {
	f := memctx.NewFleet("tenants", segment.Heap())
	apply := func(i int) {
		f.Apply(memctx.Limits{"tenants": memctx.Size(100+50*(i%3)) << 10, memctx.Others: memctx.Size(50+25*(i%3)) << 10})
	}
	apply(0)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 300 {
				b := f.Budget(fmt.Sprint(g % 2))
				err := memctx.Scope(&memctx.Options{Provider: b}, func(mc *memctx.Context) error {
					for range 10 {
						if _, err := mc.Alloc(10_000); err != nil && !errors.Is(err, memctx.ErrLimit) {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				apply(i)
				for b := range f.Budgets() {
					if b.Used() > 100<<10 || f.All().Used() > 200<<10 {
						t.Errorf("%d used, %d by all", b.Used(), f.All().Used())
					}
				}
			}
		})
	}
	wg.Wait()
	if f.All().Used() != 0 || f.All().Peak() > 200<<10 {
		t.Errorf("%d used, peak %d", f.All().Used(), f.All().Peak())
	}
}

func TestCarry(t *testing.T) {
	ctx := context.Background()
	if mc, ok := memctx.From(ctx); ok || mc != nil {
		t.Errorf("From = %v, %t", mc, ok)
	}
	if _, ok := memctx.From(memctx.With(ctx, nil)); ok {
		t.Error("From finds a nil context")
	}
	outer, inner := newContext(t, nil), newContext(t, nil)
	ctx = memctx.With(ctx, outer)
	nested := memctx.With(ctx, inner)
	if mc, ok := memctx.From(ctx); !ok || mc != outer {
		t.Error("From does not find what With has put there")
	}
	if mc, ok := memctx.From(nested); !ok || mc != inner {
		t.Error("From does not find the nearest")
	}
}
