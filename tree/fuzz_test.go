package tree

import (
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// fuzzNodes is how many nodes a fuzzed tree may hold, and fuzzSteps how many
// operations of an input are run: more would be slow and find nothing else.
const (
	fuzzNodes = 64
	fuzzSteps = 400
)

// FuzzTree reads its input as a kind and operations of two bytes each, and runs
// them beside the oracle. Run it with -fuzzminimizetime=10x: addresses, and with
// them the oracle's paths, differ from run to run, so that minimizing an input for
// its coverage does not come to an end.
func FuzzTree(f *testing.F) {
	for kind := range Kinds() {
		f.Add([]byte{byte(kind), 0, 1, 0, 2, 0, 3, 1, 0, 2, 2, 3, 0})
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if err := replay(input, nodes(t, fuzzNodes)); err != nil {
			t.Fatal(err)
		}
	})
}

// replay runs an input. The low bits of an operation's first byte choose it, the
// high bits and the second byte are its argument.
func replay(input []byte, nodes []raw.Addr) error {
	if len(input) == 0 {
		return nil
	}
	m := newModel(Kinds()[int(input[0])%len(Kinds())], nodes)
	ops := input[1:]
	for step := 0; step < fuzzSteps && len(ops) >= 2; step++ {
		if err := replayStep(m, ops[0], ops[1]); err != nil {
			return err
		}
		if err := m.check(); err != nil {
			return err
		}
		ops = ops[2:]
	}
	return nil
}

func replayStep(m *model, op, arg byte) error {
	size := fuzzSize(op>>4, arg)
	switch op % 16 {
	default:
		m.insert(size)
	case 8, 9, 10:
		m.remove(int(arg))
	case 11, 12, 13:
		return m.take(size)
	case 14:
		return m.take(size - 1)
	case 15:
		if arg == 0 {
			m.clear()
		}
		return m.take(size + 1)
	}
	return nil
}

// fuzzSize spreads 12 bits over all magnitudes of a size: scale gives the
// magnitude, arg the bits below the highest one.
func fuzzSize(scale, arg byte) uintptr {
	size := uintptr(256+uint(arg)) << (uint(scale) * 4)
	return max(size, 1) // shifted out on 32-bit
}
