package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// config is what flags say.
type config struct {
	limits  string         // file of limits by tenant
	request memctx.Options // of the context of a request
	idle    int            // contexts kept for each tenant
}

// all is the name, in the file of limits, of all tenants together.
const all = "tenants"

// server has the tenants that the file of limits names.
type server struct {
	config config
	fleet  *memctx.Fleet

	mu      sync.Mutex
	changed time.Time // when the file was, that was read last
	tenants map[string]*tenant
}

// tenant has a pool of contexts that all live within one budget.
type tenant struct {
	pool      *memctx.Pool
	budget    *segment.Budget
	requests  atomic.Int64
	tooLarge  atomic.Int64 // answered with 413
	exhausted atomic.Int64 // answered with 503
}

func newServer(c config, up segment.Provider) (*server, error) {
	s := &server{config: c, fleet: memctx.NewFleet(all, up), tenants: map[string]*tenant{}}
	return s, s.reload()
}

// reload reads the limits if the file has changed. On error they are what they
// were, and the file is read again when it changes again.
func (s *server) reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.config.limits)
	if err != nil || info.ModTime().Equal(s.changed) {
		return err
	}
	s.changed = info.ModTime()
	text, err := os.ReadFile(s.config.limits)
	if err != nil {
		return err
	}
	var limits memctx.Limits
	if err := json.Unmarshal(text, &limits); err != nil {
		return fmt.Errorf("%s: %w", s.config.limits, err)
	}
	s.fleet.Apply(limits)
	return s.admit(limits)
}

// admit makes those in the limits, and no others, the tenants. Requests of who
// is gone end as they began; their contexts close when they are put back.
func (s *server) admit(limits memctx.Limits) (err error) {
	for name := range limits {
		if name == all || s.tenants[name] != nil {
			continue
		}
		o := s.config.request
		o.Provider = s.fleet.Budget(name)
		s.tenants[name] = &tenant{pool: memctx.NewPool(&o, s.config.idle), budget: s.fleet.Budget(name)}
	}
	for name, t := range s.tenants {
		if _, ok := limits[name]; !ok {
			delete(s.tenants, name)
			err = errors.Join(err, t.pool.Close())
		}
	}
	return err
}

func (s *server) tenant(name string) *tenant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tenants[name]
}

// vars returns what expvar publishes.
func (s *server) vars() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	tenants := map[string]any{}
	for name, t := range s.tenants {
		vars := budgetVars(t.budget)
		vars["idle"] = t.pool.Idle()
		vars["requests"] = t.requests.Load()
		vars["too_large"] = t.tooLarge.Load()
		vars["exhausted"] = t.exhausted.Load()
		tenants[name] = vars
	}
	return map[string]any{"all": budgetVars(s.fleet.All()), "tenants": tenants}
}

func budgetVars(b *segment.Budget) map[string]any {
	return map[string]any{"limit": b.Limit(), "used": b.Used(), "peak": b.Peak()}
}
