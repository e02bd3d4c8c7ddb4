package tutorial

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/stream"
)

// node is an element of a tree outside the Go heap. Its links are addresses.
type node struct {
	key         int
	left, right memctx.Addr
}

func (n *node) child(key int) *memctx.Addr {
	if key < n.key {
		return &n.left
	}
	return &n.right
}

// insert puts a key into the tree below root.
func insert(mc *memctx.Context, root *memctx.Addr, key int) error {
	for *root != 0 {
		root = (*node)(root.Pointer()).child(key)
	}
	p, err := mc.AllocZeroed(1, int(unsafe.Sizeof(node{})))
	if err != nil {
		return err
	}
	(*node)(p).key = key
	*root = memctx.AddrOf(p)
	return nil
}

func Example_dropAtOnce() {
	system := segment.Counting(segment.OS())
	mc, err := memctx.New(&memctx.Options{Provider: system})
	if err != nil {
		log.Fatal(err)
	}
	var root memctx.Addr
	for i := range 100_000 {
		if err := insert(mc, &root, i*7919%100_003); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(mc.Stats().Blocks, "blocks")
	before := system.Calls()
	fmt.Println("closed:", mc.Close(), system.Bytes())
	fmt.Println("one call for each segment, not for each block:", system.Calls()-before < 100)
	// Output:
	// 100000 blocks
	// closed: <nil> 0
	// one call for each segment, not for each block: true
}

func Example_requests() {
	pool := memctx.NewPool(&memctx.Options{Name: "request", Limit: 1 << 20}, 8)
	defer pool.Close()
	handle := func(body []byte) (int, error) {
		mc, err := pool.Get()
		if err != nil {
			return 0, err
		}
		defer pool.Put(mc) // drops all that the request has made
		parsed, err := mc.CloneBytes(body)
		if err != nil {
			return 0, err
		}
		return len(parsed), nil
	}
	for range 1000 {
		if _, err := handle([]byte("a request")); err != nil {
			log.Fatal(err)
		}
	}
	_, err := handle(make([]byte, 2<<20))
	fmt.Println("too large:", errors.Is(err, memctx.ErrLimit))
	fmt.Println("contexts for 1001 requests:", pool.Idle())
	// Output:
	// too large: true
	// contexts for 1001 requests: 1
}

// status is what a service answers with.
func status(err error) int {
	var budget *segment.LimitError
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &budget) && !budget.Veto:
		return http.StatusServiceUnavailable // others hold what this one needs
	case errors.Is(err, memctx.ErrLimit):
		return http.StatusRequestEntityTooLarge // too large by itself
	}
	return http.StatusInternalServerError
}

func Example_tenants() {
	limits := memctx.Limits{"tenants": 64 << 20, "acme": 2 << 20, "*": 16 << 20}
	fleet := memctx.NewFleet("tenants", segment.Default())
	fleet.Apply(limits)

	request := func(tenant string) *memctx.Context {
		mc, err := memctx.New(&memctx.Options{Name: tenant, Limit: 1 << 20, Provider: fleet.Budget(tenant)})
		if err != nil {
			log.Fatal(err)
		}
		return mc
	}
	alloc := func(mc *memctx.Context, n int) int {
		_, err := mc.Alloc(n)
		return status(err)
	}
	first, second, third := request("acme"), request("acme"), request("acme")
	fmt.Println("its own limit:", alloc(first, 2<<20))
	fmt.Println("two large ones:", alloc(first, 900<<10), alloc(second, 900<<10))
	fmt.Println("and one more:", alloc(third, 900<<10))
	fmt.Println("another tenant:", alloc(request("other"), 900<<10))

	limits["acme"] = 8 << 20 // the file has changed
	fleet.Apply(limits)
	fmt.Println("with more room:", alloc(third, 900<<10))
	// Output:
	// its own limit: 413
	// two large ones: 200 200
	// and one more: 503
	// another tenant: 200
	// with more room: 200
}

func Example_cacheAtItsLimit() {
	const limit = 256 << 10
	mc, err := memctx.New(&memctx.Options{Name: "cache", Limit: limit})
	if err != nil {
		log.Fatal(err)
	}
	defer mc.Close()

	values := map[int]memctx.Addr{} // nothing in it for the collector to follow
	oldest, evicted := 0, 0
	put := func(key, n int) error {
		for {
			p, err := mc.Alloc(n)
			if err == nil {
				values[key] = memctx.AddrOf(p)
				return nil
			}
			if !errors.Is(err, memctx.ErrLimit) || oldest == key {
				return err // no eviction would help
			}
			mc.Free(values[oldest].Pointer())
			delete(values, oldest)
			oldest++
			evicted++
		}
	}
	for key := range 10_000 {
		if err := put(key, 100+key%3000); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("never above the limit:", mc.PeakFootprint() <= limit)
	fmt.Println("full of entries:", mc.Stats().InUse > limit*3/4)
	fmt.Println("each is here or evicted:", len(values)+evicted)
	// Output:
	// never above the limit: true
	// full of entries: true
	// each is here or evicted: 10000
}

func Example_measuring() {
	var file bytes.Buffer // os.Create in earnest
	recorder, err := stream.NewRecorder(&file, "sessions, a busy hour")
	if err != nil {
		log.Fatal(err)
	}
	err = memctx.Scope(&memctx.Options{Observer: recorder}, func(mc *memctx.Context) error {
		for i := range 1000 {
			p, err := mc.Alloc(100 + i)
			if err != nil {
				return err
			}
			if i%4 != 0 {
				mc.Free(p)
			}
		}
		return nil
	})
	if err := errors.Join(err, recorder.Close()); err != nil {
		log.Fatal(err)
	}

	reader, err := stream.NewReader(&file)
	for err == nil {
		_, err = reader.Next()
	}
	if err != io.EOF {
		log.Fatal(err)
	}
	counts := reader.Counts()
	fmt.Println(counts.Allocs, "allocs,", counts.Frees, "frees, at most", counts.Peak, "bytes live")
	// Output:
	// 1000 allocs, 750 frees, at most 150599 bytes live
}
