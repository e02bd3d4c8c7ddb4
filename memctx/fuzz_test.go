package memctx_test

import (
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// fuzzOps bounds the operations of one input: more find nothing new, slower.
const fuzzOps = 600

// FuzzContext reads a kind of tree, a mode and a provider from the first byte,
// and operations from the others, and runs them beside the model, which
// compares everything after each.
func FuzzContext(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{4, 0, 0, 0, 100, 0, 0, 120, 0, 0, 0, 0, 0, 160, 0, 0, 0, 0, 0})
	f.Add([]byte("a text is a program too, as any bytes are: it allocates, moves and frees blocks"))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		config := fuzzConfig(input[0])
		m, err := model.New(config)
		if err != nil {
			t.Fatal(err)
		}
		input = input[1:]
		for range fuzzOps {
			if len(input) < model.OpBytes {
				break
			}
			if err := m.Apply(model.Decode(input)); err != nil {
				t.Fatal(err)
			}
			input = input[model.OpBytes:]
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// fuzzConfig makes a configuration of a byte.
func fuzzConfig(b byte) model.Config {
	kinds := tree.Kinds()
	i := int(b)
	o := modes[i%len(modes)].options
	i /= len(modes)
	o.Tree = kinds[i%len(kinds)]
	i /= len(kinds)
	o.Provider = segment.Heap()
	if i/4%2 == 1 {
		o.Provider = segtest.NewRestless(segment.Heap(), 64)
	}
	if i%2 == 1 {
		o.Provider = segment.NewCache(o.Provider, 8<<20)
	}
	if i/2%2 == 1 {
		o.Retain = 1
	}
	return model.Config{Options: o, MaxBytes: 4 << 20, Every: 1}
}
