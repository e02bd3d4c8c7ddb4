package segtest

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// paged simulates pages of any size.
type paged struct {
	up   segment.Provider
	page int

	mu   sync.Mutex
	from map[raw.Addr]segment.Segment // the upstream's, by the address handed out
}

// Paged returns a provider over up whose segments consist of whole pages of the
// given size, a power of two, and lie at multiples of it. Discard fills pages
// with junk. Resize is not supported, and up must hand out usable memory.
func Paged(up segment.Provider, page int) segment.Provider {
	return &paged{up: up, page: page, from: map[raw.Addr]segment.Segment{}}
}

func (p *paged) Acquire(min, max int) (segment.Segment, error) {
	n, ok := p.fit(min, max)
	if !ok {
		return segment.Segment{}, fmt.Errorf("segtest: pages for %d to %d bytes: %w", min, max, segment.ErrNoMemory)
	}
	s, err := p.up.Acquire(n+p.page, n+p.page)
	if err != nil {
		return s, err
	}
	base, _ := raw.RoundUp(uintptr(raw.AddrOf(s.Base)), uintptr(p.page))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from[raw.Addr(base)] = s
	return segment.Segment{Base: raw.Addr(base).Pointer(), Size: n, Zeroed: s.Zeroed}, nil
}

func (p *paged) Most(min, max int) int {
	if n, ok := p.fit(min, max); ok {
		return n
	}
	return max
}

// fit returns the largest size of whole pages up to max, or min rounded up.
func (p *paged) fit(min, max int) (int, bool) {
	if min <= 0 || max < min || min > math.MaxInt-2*p.page {
		return 0, false
	}
	if max > 64<<20 { // what is only wished for must fit the Go heap
		max = min
	}
	if n := max / p.page * p.page; n >= min {
		return n, true
	}
	return (min + p.page - 1) / p.page * p.page, true
}

func (p *paged) Release(s segment.Segment) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	base := raw.AddrOf(s.Base)
	u, ok := p.from[base]
	if !ok {
		return fmt.Errorf("segtest: %#x: %w", base, segment.ErrForeign)
	}
	if err := p.up.Release(u); err != nil {
		return err
	}
	delete(p.from, base)
	return nil
}

func (p *paged) Resize(s segment.Segment, _, _ int, _ bool) (segment.Segment, error) {
	return s, errors.ErrUnsupported
}

func (p *paged) Discard(s segment.Segment, off, n int) error {
	if off < 0 || n < 0 || off > s.Size-n {
		return fmt.Errorf("segtest: discard %d+%d of %d bytes: %w", off, n, s.Size, segment.ErrForeign)
	}
	junk(raw.AddrOf(s.Base)+raw.Addr(off), n, p.page)
	return nil
}

// junk fills the whole pages in n bytes at base.
func junk(base raw.Addr, n, page int) {
	start, _ := raw.RoundUp(uintptr(base), uintptr(page))
	end := raw.RoundDown(uintptr(base)+uintptr(n), uintptr(page))
	if end > start {
		fill(raw.Bytes(raw.Addr(start), end-start), 0xDB)
	}
}
