//go:build unix

package memctx_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// sealing hands out pages of the system and can take all access to them away:
// whoever still touches one crashes.
type sealing struct {
	segment.Provider
	out map[raw.Addr]int // sizes, by base
}

func (s *sealing) Acquire(min, max int) (segment.Segment, error) {
	g, err := s.Provider.Acquire(min, max)
	if err == nil {
		s.out[raw.AddrOf(g.Base)] = g.Size
	}
	return g, err
}

func (s *sealing) Release(g segment.Segment) error {
	delete(s.out, raw.AddrOf(g.Base))
	return s.Provider.Release(g)
}

// seal sets the access to all pages that are out.
func (s *sealing) seal(t *testing.T, access int) {
	t.Helper()
	for base, size := range s.out {
		if err := unix.Mprotect(raw.Bytes(base, uintptr(size)), access); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCloseTouchesNothing closes a context whose memory cannot be touched any
// more: not one block, however many there are, is visited.
func TestCloseTouchesNothing(t *testing.T) {
	for _, o := range []memctx.Options{{}, {ExactSize: true}} {
		pages := &sealing{segment.OS(), map[raw.Addr]int{}}
		o.Provider = pages
		mc := newContext(t, &o)
		for i := range 100_000 {
			p := mustAlloc(t, mc, i%500)
			if i%3 == 0 {
				mc.Free(p)
			}
		}
		mustAlloc(t, mc, 3<<20)
		pages.seal(t, unix.PROT_NONE)
		if err := mc.Close(); err != nil {
			t.Fatal(err)
		}
		if len(pages.out) != 0 {
			t.Errorf("%d segments were not given back", len(pages.out))
		}
	}
}

// TestResetTouchesNothing resets a context whose memory cannot be touched, when
// one segment is kept. It becomes the top, which has no head.
func TestResetTouchesNothing(t *testing.T) {
	const size = 256 << 10
	pages := &sealing{equalSegments{segment.Counting(segment.OS()), size}, map[raw.Addr]int{}}
	mc := newContext(t, &memctx.Options{Provider: pages, Retain: size})
	for i := range 100_000 {
		mustAlloc(t, mc, i%100)
	}
	pages.seal(t, unix.PROT_NONE)
	if err := mc.Reset(); err != nil {
		t.Fatal(err)
	}
	if len(pages.out) != 1 {
		t.Fatalf("%d segments were kept", len(pages.out))
	}
	pages.seal(t, unix.PROT_READ|unix.PROT_WRITE)
	mustAlloc(t, mc, 100)
	mustCheck(t, mc)
}
