package tree

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// seed returns the seed of this run's random tests: COOKMEM_SEED if that is set.
func seed(t *testing.T) uint64 {
	s := uint64(time.Now().UnixNano())
	if text := os.Getenv("COOKMEM_SEED"); text != "" {
		var err error
		if s, err = strconv.ParseUint(text, 0, 64); err != nil {
			t.Fatalf("COOKMEM_SEED: %v", err)
		}
	}
	t.Logf("COOKMEM_SEED=%d", s)
	return s
}

// sizes are ways to draw a size. The heap draws from all of them at times.
var sizes = []struct {
	name string
	draw func(*rand.Rand) uintptr
}{
	{"few", func(r *rand.Rand) uintptr { return 1024 + uintptr(r.IntN(16))*2*raw.Word }},
	{"page", func(r *rand.Rand) uintptr { return 4096 + uintptr(r.IntN(512))*2*raw.Word }},
	{"wide", func(r *rand.Rand) uintptr { return max(1, uintptr(r.Uint64())>>r.UintN(bits.UintSize)) }},
	{"huge", func(r *rand.Rand) uintptr { return ^uintptr(r.IntN(1000)) }},
	{"tiny", func(r *rand.Rand) uintptr { return 1 + uintptr(r.IntN(100)) }},
}

func TestRandomOperationsAgreeWithOracle(t *testing.T) {
	s := seed(t)
	for _, kind := range Kinds() {
		for _, sizes := range sizes {
			t.Run(kind.String()+"/"+sizes.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(s, uint64(kind)))
				m := newModel(kind, nodes(t, 200))
				for step := range 3000 {
					if err := randomStep(m, r, sizes.draw, step); err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
				}
			})
		}
	}
}

// randomStep lets the tree grow and shrink in turns, so that it is seen at all sizes.
func randomStep(m *model, r *rand.Rand, draw func(*rand.Rand) uintptr, step int) error {
	growing := step/500%2 == 0
	switch p := r.IntN(100); {
	case p < 70 && growing || p < 30:
		m.insert(draw(r))
	case p < 85:
		m.remove(r.Int())
	default:
		if err := m.take(draw(r)); err != nil {
			return err
		}
	}
	if step%1999 == 1998 {
		m.clear()
	}
	if step%8 != 0 {
		return m.tree.Check() // comparing all with the oracle costs ten times as much
	}
	return m.check()
}
