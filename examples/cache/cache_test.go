package main

import (
	"bytes"
	"container/list"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
)

func withCache(t *testing.T, limit memctx.Size, f func(*memctx.Context, *Cache)) {
	t.Helper()
	err := memctx.Scope(&memctx.Options{Name: "cache", Limit: limit}, func(mc *memctx.Context) error {
		f(mc, NewCache(mc))
		return mc.Check()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCacheModel compares the cache with a map and a list.
func TestCacheModel(t *testing.T) {
	withCache(t, 256<<10, func(mc *memctx.Context, c *Cache) {
		rng := rand.New(rand.NewPCG(segtest.Seed(t), 0))
		type pair struct {
			key   uint64
			value []byte
		}
		order, at := list.New(), map[uint64]*list.Element{}
		for range 50_000 {
			key := rng.Uint64N(3000)
			switch rng.IntN(10) {
			case 0:
				c.Delete(key)
				if e := at[key]; e != nil {
					order.Remove(e)
					delete(at, key)
				}
			case 1, 2, 3, 4:
				got, ok := c.Get(key)
				e := at[key]
				if ok != (e != nil) || ok && !bytes.Equal(got, e.Value.(pair).value) {
					t.Fatalf("Get(%d) = %q, %t", key, got, ok)
				}
				if ok {
					order.MoveToFront(e)
				}
			default:
				value := bytes.Repeat([]byte{byte(key)}, rng.IntN(500))
				before := c.evictions
				if err := c.Put(key, value); err != nil {
					t.Fatal(err)
				}
				if e := at[key]; e != nil {
					order.Remove(e)
				}
				at[key] = order.PushFront(pair{key, value})
				for range c.evictions - before {
					delete(at, order.Remove(order.Back()).(pair).key)
				}
			}
			if c.Len() != len(at) || mc.Footprint() > 256<<10 {
				t.Fatalf("%d entries, want %d; footprint %d", c.Len(), len(at), mc.Footprint())
			}
		}
		if c.evictions == 0 {
			t.Error("nothing was evicted")
		}
	})
}

func TestCacheRefusesWhatCannotFit(t *testing.T) {
	withCache(t, 64<<10, func(mc *memctx.Context, c *Cache) {
		if err := c.Put(1, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if err := c.Put(2, make([]byte, 1<<20)); !errors.Is(err, memctx.ErrLimit) || c.Len() != 0 {
			t.Errorf("%v, %d entries", err, c.Len())
		}
		if err := c.Put(3, make([]byte, 1000)); err != nil {
			t.Error(err)
		}
	})
}

// TestCase26_EntriesNearTheLimit inserts many more entries than fit. What one
// entry evicts stays in proportion, and what is kept fills the limit.
func TestCase26_EntriesNearTheLimit(t *testing.T) {
	const n, limit = 100_000, 4 << 20
	withCache(t, limit, func(mc *memctx.Context, c *Cache) {
		values := newValues()
		for key := range uint64(n) {
			before := c.evictions
			if err := c.Put(key, values.next()); err != nil {
				t.Fatal(err)
			}
			if evicted := c.evictions - before; evicted > 300 {
				t.Errorf("entry %d evicts %d others", key, evicted)
			}
		}
		s := mc.Stats()
		if mc.PeakFootprint() > limit || s.InUse < limit*8/10 || c.evictions+c.Len() != n {
			t.Errorf("peak %d, %d in use, %d evicted, %d kept", mc.PeakFootprint(), s.InUse, c.evictions, c.Len())
		}
	})
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, 20_000, 1<<20); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"without limit", "within 1MiB", "Go map", "times as long"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := run(&out, 100, 10); !errors.Is(err, memctx.ErrLimit) {
		t.Errorf("a limit of 10 bytes: %v", err)
	}
}
