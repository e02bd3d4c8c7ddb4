package memctx_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// What matters of a context that is about to close is copied to another one.
func Example_copyingOut() {
	result, err := memctx.New(&memctx.Options{Name: "result"})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	var answer []byte
	err = memctx.Scope(&memctx.Options{Name: "work"}, func(mc *memctx.Context) error {
		for range 1000 {
			if _, err := mc.Alloc(500); err != nil {
				return err
			}
		}
		found, err := mc.CloneBytes([]byte("forty-two"))
		if err != nil {
			return err
		}
		answer, err = result.CloneBytes(found)
		return err
	})
	fmt.Printf("%s, %v, %d block\n", answer, err, result.Stats().Blocks)
	// Output: forty-two, <nil>, 1 block
}

// Children share the cache and the budget of their parent, and close with it.
func ExampleContext_NewChild() {
	cache := segment.NewCache(segment.OS(), 16<<20)
	budget := segment.NewBudget("compiler", cache, 1<<20)
	unit, err := memctx.New(&memctx.Options{Name: "unit", Provider: budget})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"syntax", "types"} {
		child, err := unit.NewChild(&memctx.Options{Name: name})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := child.Alloc(10_000); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(budget.Used())
	fmt.Println(unit.Close(), budget.Used())
	// Output:
	// 32768
	// <nil> 0
}

func ExampleContext_Adopt() {
	request, err := memctx.New(&memctx.Options{Name: "request"})
	if err != nil {
		log.Fatal(err)
	}
	session, err := memctx.New(&memctx.Options{Name: "session"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	answer, err := request.NewChild(&memctx.Options{Name: "answer"})
	if err != nil {
		log.Fatal(err)
	}
	text, err := answer.CloneBytes([]byte("kept without a copy"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.Adopt(answer), request.Close())
	fmt.Printf("%s\n", text)
	// Output:
	// <nil> <nil>
	// kept without a copy
}

func ExampleContext_OnClose() {
	mc, err := memctx.New(&memctx.Options{Name: "request"})
	if err != nil {
		log.Fatal(err)
	}
	mc.OnReset(func() { fmt.Println("reset") })
	mc.OnClose(func() { fmt.Println("close, with", mc.Stats().Blocks, "block") })
	fmt.Println(mc.Reset())
	if _, err := mc.Alloc(10); err != nil {
		log.Fatal(err)
	}
	fmt.Println(mc.Close())
	// Output:
	// reset
	// <nil>
	// close, with 1 block
	// <nil>
}

func ExampleContext_WriteTree() {
	request, err := memctx.New(&memctx.Options{Name: "request", Limit: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer request.Close()
	parser, err := request.NewChild(&memctx.Options{Name: "parser"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := parser.Alloc(100_000); err != nil {
		log.Fatal(err)
	}
	if err := request.Reset(); err != nil { // what is in use differs from system to system
		log.Fatal(err)
	}
	if err := request.WriteTree(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// context     footprint  limit      in use  blocks
	// request     0B         1MiB       0B      0
	//   parser    0B         unlimited  0B      0
	// 2 contexts  0B
}

// A context lives within another one, and within its limit.
func ExampleContext_Provider() {
	tenant, err := memctx.New(&memctx.Options{Name: "tenant", Limit: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer tenant.Close()
	request, err := tenant.NewChild(&memctx.Options{Name: "request", Provider: tenant.Provider()})
	if err != nil {
		log.Fatal(err)
	}
	_, err = request.Alloc(2 << 20)
	var refusal *memctx.Error
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Context, "met the limit of", refusal.By)
	}
	// Output: request met the limit of tenant
}

func ExampleLocked() {
	shared, err := memctx.NewLocked(&memctx.Options{Name: "shared"})
	if err != nil {
		log.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if _, err := shared.Alloc(100); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	wg.Wait()
	err = shared.Do(func(mc *memctx.Context) error { // one step for others
		fmt.Println(mc.Stats().Blocks, "blocks")
		return mc.Reset()
	})
	fmt.Println(err, shared.Close())
	// Output:
	// 400 blocks
	// <nil> <nil>
}

func ExamplePool() {
	pool := memctx.NewPool(&memctx.Options{Name: "request", Limit: 1 << 20}, 8)
	serve := func() error {
		mc, err := pool.Get()
		if err != nil {
			return err
		}
		defer pool.Put(mc)
		_, err = mc.Bytes(10_000)
		return err
	}
	for range 1000 {
		if err := serve(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(pool.Idle(), "context for 1000 requests")
	fmt.Println(pool.Close())
	// Output:
	// 1 context for 1000 requests
	// <nil>
}

func ExampleWith() {
	handle := func(ctx context.Context) {
		if mc, ok := memctx.From(ctx); ok {
			fmt.Println("found", mc.Name())
		}
	}
	err := memctx.Scope(&memctx.Options{Name: "request 7"}, func(mc *memctx.Context) error {
		handle(memctx.With(context.Background(), mc))
		return nil
	})
	fmt.Println(err)
	// Output:
	// found request 7
	// <nil>
}

func ExampleFleet() {
	var limits memctx.Limits
	if err := json.Unmarshal([]byte(`{"tenants": "1GiB", "*": "16MiB", "acme": "64MiB"}`), &limits); err != nil {
		log.Fatal(err)
	}
	fleet := memctx.NewFleet("tenants", segment.Default())
	fleet.Apply(limits)
	acme, other := fleet.Budget("acme"), fleet.Budget("other")
	fmt.Println(memctx.Size(acme.Limit()), memctx.Size(other.Limit()))

	limits["acme"] = 128 << 20 // read anew, while acme is in use
	fleet.Apply(limits)
	fmt.Println(memctx.Size(acme.Limit()), "of", memctx.Size(fleet.All().Limit()))
	// Output:
	// 64MiB 16MiB
	// 128MiB of 1GiB
}

// A soft mark below the limit of a context: what makes room begins before
// anything is refused.
func Example_softMark() {
	const limit, mark = 4 << 20, 3 << 20
	budget := segment.NewBudget("entries", segment.Default(), limit)
	crowded := false
	stop := budget.Watch(mark, func(used int) { crowded = used >= mark })
	defer stop()
	mc, err := memctx.New(&memctx.Options{Provider: budget})
	if err != nil {
		log.Fatal(err)
	}
	defer mc.Close()
	for !crowded {
		if _, err := mc.Alloc(10_000); err != nil {
			log.Fatal(err) // which does not happen
		}
	}
	fmt.Println("crowded:", crowded)
	if err := mc.Reset(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("crowded:", crowded)
	// Output:
	// crowded: true
	// crowded: false
}

func ExampleLimits() {
	var limits memctx.Limits
	if err := limits.Set("tenants=1GiB,*=16MiB"); err != nil { // a flag
		log.Fatal(err)
	}
	if err := limits.Set("acme=64MiB"); err != nil { // the environment
		log.Fatal(err)
	}
	fmt.Println(&limits)
	fmt.Println(limits.Set("acme=plenty"))
	// Output:
	// *=16MiB,acme=64MiB,tenants=1GiB
	// memctx limits: acme: size "plenty": want a whole number of bytes with an optional unit, as in 64MiB
}
