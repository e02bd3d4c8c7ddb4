package model

import (
	"fmt"

	"github.com/cookmem-go/cookmem/diag"
)

// audience is an observer that sums up what it is told, and tells it another one.
type audience struct {
	next   diag.Observer
	blocks int // that should be live
	bytes  int // that should be held
}

// Observe implements [diag.Observer].
func (a *audience) Observe(e diag.Event) {
	switch e.Kind {
	case diag.EventAcquire:
		a.bytes += e.Size
	case diag.EventRelease:
		a.bytes -= e.Size
	case diag.EventAlloc:
		a.blocks++
	case diag.EventFree:
		a.blocks--
	case diag.EventReset, diag.EventClose:
		a.blocks = 0
	}
	a.next.Observe(e)
}

// compare compares the sums with what there is. Nobody is told nothing.
func (a *audience) compare(blocks, bytes int) error {
	if a != nil && (a.blocks != blocks || a.bytes != bytes) {
		return fmt.Errorf("the observer knows of %d blocks and holds %d bytes, not %d and %d", a.blocks, a.bytes, blocks, bytes)
	}
	return nil
}
