package memctx_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/memctx/internal/model"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

const (
	// soakRound is the number of operations after which another context has its turn.
	soakRound = 5_000

	// soakLong is the number of operations from which on everything must have
	// happened, and footprints must be flat.
	soakLong = 1_000_000

	// The largest footprint of the second half may be a quarter and two of the largest
	// blocks more than that of the first: it is one moment of many. The mean of what
	// was largest in each round may be a tenth more, once there are soakRounds.
	soakMost   = 1.25
	soakPeak   = 2 << 20
	soakMean   = 1.1
	soakRounds = 100
)

// TestSoak runs COOKMEM_SOAK_OPS operations of the model, by default 100,000. Every
// second round of them is for a context that lives as long as the test does, of which
// there is one for each mode. The other rounds have a context of their own, with any
// tree, in any mode, on any provider.
//
// With -v it tells what has happened how often, and the largest footprints in both
// halves of its time.
func TestSoak(t *testing.T) {
	ops := 100_000
	if text := os.Getenv("COOKMEM_SOAK_OPS"); text != "" {
		var err error
		if ops, err = strconv.Atoi(text); err != nil {
			t.Fatalf("COOKMEM_SOAK_OPS: %v", err)
		}
	}
	s := newSoak(t, segtest.Seed(t))
	for half := range 2 {
		for until := (half + 1) * ops / 2; s.steps < until; {
			s.round(half, min(less(soakRound), until-s.steps))
		}
	}
	s.close()
	s.report(ops >= soakLong)
}

// soak is the state of the test.
type soak struct {
	t       *testing.T
	seed    uint64
	cache   *segment.Cache // of many contexts, so that its memory has a past
	lasting []*lasting
	tally   model.Tally
	rounds  int
	steps   int
	checks  int
	held    level // what the cache holds
}

// lasting is a context that is there from the start to the end.
type lasting struct {
	mode string
	m    *model.Model
	rand *rand.Rand
	held level // the footprint
}

// level is how many bytes were held in both halves of the time.
type level [2]struct {
	most, count int
	sum         float64 // too large for an int of 32 bits
}

// add adds the most bytes of a round.
func (l *level) add(half, bytes int) {
	h := &l[half]
	h.most, h.sum, h.count = max(h.most, bytes), h.sum+float64(bytes), h.count+1
}

// mean returns the mean of the rounds.
func (l *level) mean(half int) float64 { return l[half].sum / float64(max(l[half].count, 1)) }

// soakModes are modes and one more that is the mode all in part.
var soakModes = append(modes[:len(modes):len(modes)], mode{"observed", memctx.Options{Observer: quiet{}}})

func newSoak(t *testing.T, seed uint64) *soak {
	s := &soak{t: t, seed: seed, cache: segment.NewCache(segment.OS(), 64<<20), tally: model.Tally{}}
	sources := []segment.Provider{s.cache, segment.OS(), segtest.Reserving()}
	for i, mode := range soakModes {
		c := model.Config{Options: mode.options}
		c.Options.Tree = tree.Kinds()[i%len(tree.Kinds())]
		c.Options.Provider = sources[i/2%len(sources)]
		s.lasting = append(s.lasting, &lasting{mode: mode.name, m: s.newModel(c), rand: rand.New(rand.NewPCG(seed, uint64(i)))})
	}
	return s
}

// newModel returns a model with what all of them have in common.
func (s *soak) newModel(c model.Config) *model.Model {
	c.Every, c.Contents, c.MaxBytes, c.Tally = 100, 128<<10, 8<<20, s.tally
	if c.Scarce {
		c.MaxBytes = 2 << 20
	}
	m, err := model.New(c)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// round applies n operations to the context whose turn it is.
func (s *soak) round(half, n int) {
	defer func() { s.held.add(half, s.cache.Held()) }()
	s.rounds++
	s.steps += n
	if s.rounds%2 == 0 {
		l := s.lasting[s.rounds/2%len(s.lasting)]
		s.run(l.m, l.rand, l.mode, n)
		l.held.add(half, l.m.TakeMost())
		return
	}
	r := rand.New(rand.NewPCG(s.seed, uint64(len(s.lasting)+s.rounds)))
	mode, config := s.any(r)
	m := s.newModel(config)
	s.run(m, r, mode, n)
	s.closeModel(m, r)
	if p := config.Options.Provider; p != s.cache { // a cache that nobody drains keeps its memory
		if err := segment.Drain(p); err != nil {
			s.t.Error(err)
		}
	}
}

// any draws a configuration. Every second one stands on the shared cache.
func (s *soak) any(r *rand.Rand) (mode string, c model.Config) {
	chosen := soakModes[r.IntN(len(soakModes))]
	c.Options = chosen.options
	c.Options.Tree = tree.Kinds()[r.IntN(len(tree.Kinds()))]
	c.Options.Retain = memctx.Size(r.IntN(5) << 18)
	c.Options.Provider = s.cache
	if r.IntN(2) == 0 {
		p := providers[r.IntN(len(providers))]
		c.Options.Provider, c.Scarce = p.make(), p.scarce
	}
	return chosen.name, c
}

func (s *soak) run(m *model.Model, r *rand.Rand, mode string, n int) {
	if err := m.RunRandom(r, n); err != nil {
		s.t.Fatalf("round %d, %s: %v", s.rounds, mode, err)
	}
	s.tally["mode"] += n
	s.tally["mode "+mode] += n
	if err := s.cache.Check(); err != nil {
		s.t.Fatal(err)
	}
}

// closeModel closes the context while its provider fails.
func (s *soak) closeModel(m *model.Model, r *rand.Rand) {
	if err := m.Apply(model.Op{Kind: model.Fail, Arg: byte(r.Uint32())}); err != nil {
		s.t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		s.t.Fatalf("round %d: %v", s.rounds, err)
	}
	s.checks += m.Checks()
}

// close closes what has lasted. The cache must have everything back then.
func (s *soak) close() {
	for _, l := range s.lasting {
		s.closeModel(l.m, l.rand)
	}
	if in := s.cache.Stats().InUse; in != 0 {
		s.t.Errorf("%d bytes of the cache are in use at the end", in)
	}
	if err := s.cache.Drain(); err != nil || s.cache.Held() != 0 {
		s.t.Errorf("drained, the cache holds %d bytes: %v", s.cache.Held(), err)
	}
}

// soakNames are what must have happened in the end.
var soakNames = []string{
	"Alloc", "Alloc over the limit", "Alloc without memory", "AllocAligned", "AllocMany", "AllocZeroed", "Bytes", "CloneBytes",
	"Realloc", "Realloc moves", "Realloc over the limit", "Realloc without memory", "TryResize", "TryResize in vain",
	"Free", "FreeBytes", "FreeMany", "FreeSized", "Impossible", "SetLimit", "SetLimit below use",
	"Trim", "Trim in part", "Reset", "Reset in part", "Close", "Close in part",
	"acquire", "acquire fails", "release", "release fails", "release at once", "quarantine", "quarantine fails",
	"resize", "resize fails", "resize grows", "resize moves", "resize in vain", "discard", "discard fails", "commit", "commit fails",
	"mode plain", "mode exact", "mode guard", "mode checked", "mode all", "mode observed",
}

// report tells what has happened, and if the time was long, judges it.
func (s *soak) report(long bool) {
	s.t.Logf("soak: %d operations, %d checks", s.steps, s.checks)
	s.t.Logf("what happened:%v", s.tally)
	s.compare("cache", s.held, long)
	for _, l := range s.lasting {
		s.compare(l.mode, l.held, long)
		s.steady(l.mode, l.held)
	}
	if missing := s.tally.Missing(soakNames...); long && len(missing) > 0 {
		s.t.Errorf("never happened: %q", missing)
	}
}

// compare tells what was held in both halves. If the time was long, that must not
// have grown by much.
func (s *soak) compare(what string, l level, long bool) {
	first, second := l[0], l[1]
	s.t.Logf("%-8s held at most %8d and then %8d bytes, in the mean of rounds %8.0f and %8.0f", what,
		first.most, second.most, l.mean(0), l.mean(1))
	if long && float64(second.most) > soakMost*float64(first.most)+soakPeak {
		s.t.Errorf("%s has grown", what)
	}
}

// steady requires that a context has not grown, as far as the mean can tell.
func (s *soak) steady(what string, l level) {
	if l[0].count >= soakRounds && l.mean(1) > soakMean*l.mean(0) {
		s.t.Errorf("%s has grown in the mean", what)
	}
}
