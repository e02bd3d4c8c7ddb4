package segtest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
)

// Strip is one piece of Go memory whose pages are handed out side by side, the lowest
// first. It joins and splits segments as the pages of Unix can be, but keeps books: what
// is released must be what is out. Pages that come back are full of junk.
type Strip struct {
	base raw.Addr
	page int

	mu    sync.Mutex
	out   map[raw.Addr]int // sizes, by base
	pages []pageState
	keep  segment.Segment // keeps the memory alive
}

// pageState is what is known of a page.
type pageState struct{ out, used bool }

// NewStrip returns a Strip of size bytes in pages of the given size, a power of two.
// Discard fills pages with junk. Resize is not supported.
func NewStrip(size, page int) *Strip {
	s, err := segment.Heap().Acquire(size+page, size+page)
	if err != nil {
		panic(err)
	}
	base, _ := raw.RoundUp(uintptr(raw.AddrOf(s.Base)), uintptr(page))
	return &Strip{base: raw.Addr(base), page: page, keep: s,
		out: map[raw.Addr]int{}, pages: make([]pageState, size/page)}
}

// Acquire implements segment.Provider.
func (p *Strip) Acquire(min, max int) (segment.Segment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.sizes(min, max) {
		if at := p.gap(n / p.page); at >= 0 {
			return p.take(at, n), nil
		}
	}
	return segment.Segment{}, fmt.Errorf("segtest: strip: %d to %d bytes: %w", min, max, segment.ErrNoMemory)
}

// sizes returns what to try for a range.
func (p *Strip) sizes(min, max int) []int {
	if total := len(p.pages) * p.page; min <= 0 || max < min || min > total {
		return nil
	} else if max > total {
		max = total
	}
	least := (min + p.page - 1) / p.page * p.page
	return []int{larger(max/p.page*p.page, least), least}
}

// Most implements segment.Sizer.
func (p *Strip) Most(min, max int) int {
	if sizes := p.sizes(min, max); sizes != nil {
		return sizes[0]
	}
	return max
}

// gap returns the first of count pages that are not out, or -1.
func (p *Strip) gap(count int) int {
	for i, free := 0, 0; i < len(p.pages); i++ {
		if free++; p.pages[i].out {
			free = 0
		}
		if free == count {
			return i + 1 - count
		}
	}
	return -1
}

// take hands out n bytes from page at on.
func (p *Strip) take(at, n int) segment.Segment {
	zeroed := true
	for i := range n / p.page {
		zeroed = zeroed && !p.pages[at+i].used
		p.pages[at+i] = pageState{out: true, used: true}
	}
	base := p.base + raw.Addr(at*p.page)
	p.out[base] = n
	return segment.Segment{Base: base.Pointer(), Size: n, Zeroed: zeroed}
}

// Release implements segment.Provider.
func (p *Strip) Release(s segment.Segment) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOut(s) {
		return p.foreign("release", s)
	}
	Fill(s, 0xDD)
	delete(p.out, raw.AddrOf(s.Base))
	at := int(raw.AddrOf(s.Base)-p.base) / p.page
	for i := range s.Size / p.page {
		p.pages[at+i].out = false
	}
	return nil
}

func (p *Strip) isOut(s segment.Segment) bool {
	n, ok := p.out[raw.AddrOf(s.Base)]
	return ok && n == s.Size
}

func (p *Strip) foreign(op string, s segment.Segment) error {
	return fmt.Errorf("segtest: strip: %s %d bytes at %p: %w", op, s.Size, s.Base, segment.ErrForeign)
}

// Join implements segment.Joiner.
func (p *Strip) Join(a, b segment.Segment) (segment.Segment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOut(a) || !p.isOut(b) || raw.AddrOf(a.Base)+raw.Addr(a.Size) != raw.AddrOf(b.Base) {
		return a, p.foreign("join", b)
	}
	delete(p.out, raw.AddrOf(b.Base))
	p.out[raw.AddrOf(a.Base)] = a.Size + b.Size
	return segment.Segment{Base: a.Base, Size: a.Size + b.Size}, nil
}

// Split implements segment.Joiner.
func (p *Strip) Split(s segment.Segment, n int) (front, rest segment.Segment, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOut(s) || n <= 0 || n >= s.Size || n%p.page != 0 {
		return s, rest, p.foreign("split", s)
	}
	at := raw.AddrOf(s.Base) + raw.Addr(n)
	p.out[raw.AddrOf(s.Base)], p.out[at] = n, s.Size-n
	return segment.Segment{Base: s.Base, Size: n}, segment.Segment{Base: at.Pointer(), Size: s.Size - n}, nil
}

// Resize implements segment.Resizer.
func (p *Strip) Resize(s segment.Segment, _, _ int, _ bool) (segment.Segment, error) {
	return s, errors.ErrUnsupported
}

// Discard implements segment.Discarder.
func (p *Strip) Discard(s segment.Segment, off, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOut(s) || off < 0 || n < 0 || off > s.Size-n {
		return p.foreign("discard", s)
	}
	junk(raw.AddrOf(s.Base)+raw.Addr(off), n, p.page)
	return nil
}
