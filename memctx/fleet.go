package memctx

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/cookmem-go/cookmem/segment"
)

// Limits are limits by name. They load from JSON, as an object of sizes,
//
//	{"tenants": "1GiB", "*": "16MiB", "acme": "64MiB"}
//
// and from text with Set, for flags and the environment. The name [Others] stands
// for all that are not listed.
type Limits map[string]Size

// Others is the name of the limit for names that have none of their own.
const Others = "*"

// Set reads comma-separated settings such as "tenants=1GiB,*=16MiB" into the
// limits, beside those that are there. Names with a comma or an equals sign can
// stand in JSON only. A bad size is an error, and then nothing is changed. With
// String, Set makes *Limits a flag.Value.
func (l *Limits) Set(text string) error {
	changed := maps.Clone(*l)
	if changed == nil {
		changed = Limits{}
	}
	for rest := text; rest != ""; {
		var s setting
		var err error
		if s, rest, err = cutSetting(rest); err != nil {
			return err
		}
		if s == (setting{}) {
			continue
		}
		size, err := ParseSize(s.value)
		if err != nil {
			return &limitsError{s.key, err}
		}
		changed[s.key] = size
	}
	*l = changed
	return nil
}

// UnmarshalJSON reads an object of sizes into the limits, beside those that are there.
// A bad size is an error that names whose it is, and so is null: no limit is
// "unlimited". Nothing is changed then.
func (l *Limits) UnmarshalJSON(data []byte) error {
	var sizes map[string]json.RawMessage
	if err := json.Unmarshal(data, &sizes); err != nil {
		return fmt.Errorf("memctx limits: %w", err)
	}
	changed := maps.Clone(*l)
	if changed == nil && sizes != nil {
		changed = Limits{}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if string(sizes[name]) == "null" {
			return &limitsError{name, errors.New("null is no size")}
		}
		var size Size
		if err := json.Unmarshal(sizes[name], &size); err != nil {
			return &limitsError{name, err}
		}
		changed[name] = size
	}
	*l = changed
	return nil
}

// limitsError names the limit that cannot be read.
type limitsError struct {
	name string
	err  error
}

func (e *limitsError) Error() string { return "memctx limits: " + e.name + ": " + e.err.Error() }
func (e *limitsError) Unwrap() error { return e.err }

// String returns the limits in the form that Set reads, ordered by name.
func (l *Limits) String() string {
	if l == nil {
		return ""
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(*l)) {
		if text != "" {
			text += ","
		}
		text += name + "=" + (*l)[name].String()
	}
	return text
}

// of returns the limit for a name: its own, that of the others, or none.
func (l Limits) of(name string) int {
	if size, ok := l[name]; ok {
		return int(size)
	}
	if size, ok := l[Others]; ok {
		return int(size)
	}
	return NoLimit
}

// Fleet has a budget for each of many names, a service's tenants for instance,
// all of them within one, and applies limits to them while they are in use. All
// methods may be called by any goroutine.
type Fleet struct {
	all *segment.Budget

	mu      sync.Mutex
	limits  Limits
	budgets map[string]*segment.Budget
}

// NewFleet returns a fleet over up, nil for [segment.Default]. There are no limits
// before Apply. The fleet's own name is that of the limit for all together.
func NewFleet(name string, up segment.Provider) *Fleet {
	if up == nil {
		up = segment.Default()
	}
	return &Fleet{all: segment.NewBudget(name, up, NoLimit), budgets: map[string]*segment.Budget{}}
}

// All returns the budget for all together, from which the others are.
func (f *Fleet) All() *segment.Budget { return f.all }

// Budget returns the budget of a name, to be the provider of contexts, and makes
// it if there is none. Budgets are kept for good: names should come from a list of
// the service's own, and not from whoever sends requests.
func (f *Fleet) Budget(name string) *segment.Budget {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.budgets[name]
	if b == nil {
		b = f.all.Child(name, f.limits.of(name))
		f.budgets[name] = b
	}
	return b
}

// Budgets returns the budgets that there are, ordered by name.
func (f *Fleet) Budgets() iter.Seq[*segment.Budget] {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*segment.Budget
	for _, name := range slices.Sorted(maps.Keys(f.budgets)) {
		all = append(all, f.budgets[name])
	}
	return slices.Values(all)
}

// Apply sets all limits, of budgets that are in use and of those to come. A name
// that is not listed gets the limit of [Others], or none; the limit for all
// together is none if the fleet's name is not listed. What is out beyond a lower
// limit stays out: see [segment.Budget.SetLimit].
func (f *Fleet) Apply(l Limits) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limits = maps.Clone(l)
	all := Size(NoLimit)
	if size, ok := l[f.all.Name()]; ok {
		all = size
	}
	f.all.SetLimit(int(all))
	for name, b := range f.budgets {
		b.SetLimit(l.of(name))
	}
}
