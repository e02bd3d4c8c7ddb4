package model

import "math/rand/v2"

// phase is the number of operations after which the number of live blocks gets
// new bounds: heaps that grow, shrink and stay behave differently.
const phase = 800

var phases = [...][2]int{{0, 8}, {0, 60}, {300, 400}, {0, 2000}, {2000, 2000}}

// RunRandom applies n operations drawn from r.
func (m *Model) RunRandom(r *rand.Rand, n int) error {
	var b [OpBytes]byte
	for i := range n {
		if i%phase == 0 {
			bounds := phases[r.IntN(len(phases))]
			m.SetBounds(bounds[0], bounds[1])
		}
		for j := range b {
			b[j] = byte(r.Uint32())
		}
		if err := m.Apply(Decode(b[:])); err != nil {
			return err
		}
	}
	return nil
}
