//go:build unix || windows

package segment

import (
	"errors"
	"sync"
)

// graves are the segments of the operating system that are in quarantine, in the
// order in which they came.
var graves struct {
	sync.Mutex
	held  []Segment
	bytes int
}

// Quarantine implements [Quarantiner]. The pages cost no memory there. At most 64
// MiB are held, 32 MiB on 32-bit systems, by all users together; what has been
// there longest is then released.
func (p system) Quarantine(s Segment) error {
	if s.Base == nil || s.Size <= 0 {
		return foreign("os", "quarantine", s)
	}
	if s.Size > quarantineBytes || bury(s) != nil {
		return p.Release(s)
	}
	graves.Lock()
	defer graves.Unlock()
	graves.held = append(graves.held, s)
	graves.bytes += s.Size
	return p.emptyGraves(quarantineBytes, quarantineSegments)
}

// Drain implements [Drainer]: it ends the quarantine.
func (p system) Drain() error {
	graves.Lock()
	defer graves.Unlock()
	return p.emptyGraves(0, 0)
}

// emptyGraves releases segments until no more than the given bytes and segments
// are left. Those that cannot be released stay for the next time.
func (p system) emptyGraves(bytes, segments int) (err error) {
	var refused []Segment
	for graves.bytes > bytes || len(graves.held) > segments {
		s := graves.held[0]
		graves.held = graves.held[1:]
		graves.bytes -= s.Size
		if e := p.Release(s); e != nil {
			err = errors.Join(err, e)
			refused = append(refused, s)
		}
	}
	for _, s := range refused {
		graves.held = append(graves.held, s)
		graves.bytes += s.Size
	}
	return err
}

// Protect implements [Protector].
func (system) Protect(s Segment, off, n int, inaccessible bool) error {
	if !within(s, off, n) {
		return foreign("os", "protect", s)
	}
	start, end := wholePages(s, off, n, pageSize)
	if start == end {
		return errors.ErrUnsupported
	}
	if err := protect(start, end, inaccessible); err != nil {
		return &failure{"os", "protect", n, n, ErrNoMemory, err}
	}
	return nil
}
