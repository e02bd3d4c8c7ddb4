package memctx_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// soakRound is the number of operations after which the next kind of context
// has its turn.
const soakRound = 5_000

// TestSoak runs COOKMEM_SOAK_OPS operations of the model, by default 100,000, in
// turns over all kinds of trees and modes. With -v it tells how many it did and
// how often it compared everything.
func TestSoak(t *testing.T) {
	ops := 100_000
	if text := os.Getenv("COOKMEM_SOAK_OPS"); text != "" {
		var err error
		if ops, err = strconv.Atoi(text); err != nil {
			t.Fatalf("COOKMEM_SOAK_OPS: %v", err)
		}
	}
	seed := segtest.Seed(t)
	cache := segment.NewCache(segment.OS(), 64<<20)
	steps, checks := 0, 0
	for round := 0; steps < ops; round++ {
		m := runModel(t, soakConfig(round, cache), seed+uint64(round), min(soakRound, ops-steps))
		steps += m.Steps()
		checks += m.Checks()
		if err := cache.Check(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("soak: %d operations, %d checks", steps, checks)
}

// soakConfig returns the configuration of a round. Every second one stands on a
// cache that all of them share, so that its memory has a past.
func soakConfig(round int, cache *segment.Cache) model.Config {
	kinds := tree.Kinds()
	o := modes[round%len(modes)].options
	o.Tree = kinds[round/len(modes)%len(kinds)]
	o.Retain = memctx.Size(round % 5 << 18)
	if round%2 == 0 {
		o.Provider = cache
	}
	return model.Config{Options: o, Every: 100}
}
