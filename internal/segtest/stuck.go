package segtest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cookmem-go/cookmem/segment"
)

// errStuck is what Linux says at vm.max_map_count, in substance.
var errStuck = errors.New("cannot release")

// Stuck is a provider whose Release fails until Heal is called.
type Stuck struct {
	forward
	refused atomic.Int64
	healed  atomic.Bool
}

// NewStuck returns a Stuck over up.
func NewStuck(up segment.Provider) *Stuck { return &Stuck{forward: forward{up}} }

// Heal lets Release pass from now on.
func (s *Stuck) Heal() { s.healed.Store(true) }

// Refused returns the number of releases that have failed.
func (s *Stuck) Refused() int { return int(s.refused.Load()) }

// Release implements segment.Provider.
func (s *Stuck) Release(g segment.Segment) error {
	if s.healed.Load() {
		return s.up.Release(g)
	}
	s.refused.Add(1)
	return fmt.Errorf("segtest: %w: %w", segment.ErrNoMemory, errStuck)
}
