package segment_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/cookmem-go/cookmem/segment"
)

func Example() {
	p := segment.OS()
	s, err := p.Acquire(1, 1<<20) // a byte is needed, a megabyte is welcome
	if err != nil {
		log.Fatal(err)
	}
	if err := segment.Commit(p, s, 0, 4096); err != nil { // needed on Windows
		log.Fatal(err)
	}
	*(*int64)(s.Base) = 42
	fmt.Println(s.Size, s.Zeroed, *(*int64)(s.Base))
	fmt.Println(p.Release(s))
	// Output:
	// 1048576 true 42
	// <nil>
}

func ExampleHeap() {
	s, _ := segment.Heap().Acquire(100, 100)
	fmt.Println(s.Size, "bytes of Go memory")
	// Output: 112 bytes of Go memory
}

func ExampleFixed() {
	p := segment.Fixed(make([]byte, 1<<16))
	part, _ := p.Acquire(4000, 4000) // exactly
	rest, _ := p.Acquire(1000, 4000) // a range is served with all that is left
	fmt.Println(part.Size, rest.Size > 60_000)
	_, err := p.Acquire(100, 100)
	fmt.Println(errors.Is(err, segment.ErrNoMemory))
	fmt.Println(p.Release(part), p.Release(rest))
	// Output:
	// 4000 true
	// true
	// <nil> <nil>
}

func ExampleNull() {
	_, err := segment.Null().Acquire(4096, 65536)
	fmt.Println(err)
	// Output: segment: null: acquire 4096 to 65536 bytes: out of memory
}

func ExampleCache() {
	system := segment.Counting(segment.OS())
	cache := segment.NewCache(system, 64<<20)
	for range 1000 {
		s, err := cache.Acquire(16<<10, 16<<10)
		if err != nil {
			log.Fatal(err)
		}
		if err := cache.Release(s); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("calls to the system:", system.Calls())
	fmt.Println("idle:", cache.Idle())
	if err := cache.Drain(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("after Drain:", cache.Idle(), cache.Held(), system.Bytes())
	// Output:
	// calls to the system: 1
	// idle: 1048576
	// after Drain: 0 0 0
}

func ExampleCache_Stats() {
	cache := segment.NewCache(segment.OS(), 64<<20)
	s, err := cache.Acquire(256<<10, 256<<10)
	if err != nil {
		log.Fatal(err)
	}
	stats := cache.Stats()
	fmt.Println(stats.Segments, stats.InUse, stats.Idle, stats.Mappings)
	_ = cache.Release(s)
	// Output: 1 262144 786432 1
}

func ExampleCounter() {
	c := segment.Counting(segment.OS())
	s, err := c.Acquire(1<<20, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Bytes())
	fmt.Println(c.Release(s))
	fmt.Println(c.Acquires(), c.Releases(), c.Bytes(), c.PeakBytes())
	// Output:
	// 1048576
	// <nil>
	// 1 1 0 1048576
}

// Fail the first call, then the second, until none is left to fail, and see
// that nothing leaks.
func ExampleFailing() {
	for nth := 1; ; nth++ {
		f := segment.Failing(segment.OS(), nth)
		c := segment.Counting(f)
		s, err := c.Acquire(1<<16, 1<<16)
		if err == nil && c.Release(s) != nil {
			err = c.Release(s)
		}
		fmt.Println(nth, err, c.Bytes())
		if !f.Failed() {
			break
		}
	}
	// Output:
	// 1 segment: failing: acquire 65536 bytes: out of memory: injected failure 0
	// 2 <nil> 0
	// 3 <nil> 0
}

func ExampleFailingFrom() {
	f := segment.FailingFrom(segment.OS(), 1)
	_, err := f.Acquire(1<<16, 1<<16)
	fmt.Println(err != nil, f.Failed())
	f.Heal()
	s, err := f.Acquire(1<<16, 1<<16)
	fmt.Println(s.Size, err)
	_ = f.Release(s)
	// Output:
	// true true
	// 65536 <nil>
}

func ExampleCommitterOf() {
	p := segment.Counting(segment.Heap())
	_, needed := segment.CommitterOf(p)
	fmt.Println(needed) // Counter has a method Commit, but nothing beneath wants it
	// Output: false
}

// A buffer serves what fits, and the system the rest.
func ExampleChain() {
	system := segment.Counting(segment.OS())
	p := segment.Chain(segment.Fixed(make([]byte, 32<<10)), system)
	small, err := p.Acquire(16<<10, 16<<10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("calls to the system:", system.Calls())
	large, err := p.Acquire(1<<20, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("calls to the system:", system.Calls())
	fmt.Println(p.Release(small), p.Release(large), system.Bytes())
	// Output:
	// calls to the system: 0
	// calls to the system: 1
	// <nil> <nil> 0
}

func ExampleBudget() {
	tenants := segment.NewBudget("tenants", segment.Default(), 256<<10)
	acme := tenants.Child("acme", 128<<10)
	other := tenants.Child("other", 192<<10)
	a, err := acme.Acquire(128<<10, 128<<10)
	if err != nil {
		log.Fatal(err)
	}
	_, err = acme.Acquire(4096, 4096)
	fmt.Println(err)
	_, err = other.Acquire(192<<10, 192<<10)
	fmt.Println(err)
	fmt.Println(tenants.Used(), acme.Used(), other.Used())
	fmt.Println(acme.Release(a), tenants.Used())
	// Output:
	// segment: budget "acme": 4096 bytes, with 131072 of 131072 used: memory limit reached
	// segment: budget "tenants": 196608 bytes, with 131072 of 262144 used: memory limit reached
	// 131072 131072 0
	// <nil> 0
}

func ExampleBudget_SetLargest() {
	b := segment.NewBudget("tenants", segment.Default(), 1<<30)
	b.SetLargest(64 << 10)
	_, err := b.Acquire(1<<20, 1<<20)
	fmt.Println(err)
	// Output:
	// segment: budget "tenants": 1048576 bytes, of at most 65536 in one request: memory limit reached
}

func ExampleBudget_Watch() {
	b := segment.NewBudget("tenants", segment.Default(), 1<<20)
	stop := b.Watch(768<<10, func(used int) { fmt.Println(used>>10, "KiB used") })
	defer stop()
	s, err := b.Acquire(800<<10, 800<<10)
	if err != nil {
		log.Fatal(err)
	}
	_ = b.Release(s)
	// Output:
	// 800 KiB used
	// 0 KiB used
}

func ExampleLimitError() {
	b := segment.NewBudget("tenants", segment.Default(), 1<<20)
	_, err := b.Acquire(2<<20, 2<<20)
	var refusal *segment.LimitError
	if errors.As(err, &refusal) {
		fmt.Println(refusal.By, "has", refusal.Limit-refusal.Used, "bytes left")
	}
	// Output: tenants has 1048576 bytes left
}

func ExampleCacheStats() {
	cache := segment.NewCache(segment.OS(), 64<<20)
	s, err := cache.Acquire(256<<10, 256<<10)
	if err != nil {
		log.Fatal(err)
	}
	var stats segment.CacheStats = cache.Stats()
	fmt.Printf("%d%% of what is held is in use\n", 100*stats.InUse/(stats.InUse+stats.Idle))
	_ = cache.Release(s)
	// Output: 25% of what is held is in use
}

func ExampleFailer() {
	f := segment.FailingFrom(segment.OS(), 2)
	s, err := f.Acquire(1<<16, 1<<16)
	fmt.Println(s.Size, err)
	fmt.Println(f.Release(s) != nil, "so the segment is still the caller's")
	f.Heal()
	fmt.Println(f.Release(s), f.Calls(), "calls")
	// Output:
	// 65536 <nil>
	// true so the segment is still the caller's
	// <nil> 3 calls
}

// A segment is charged with what was really obtained, here with a page or more.
func ExampleSegment() {
	p := segment.OS()
	s, err := p.Acquire(1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Base != nil, s.Size >= 4096, s.Zeroed)
	fmt.Println(p.Release(s))
	fmt.Println(errors.Is(segment.Fixed(nil).Release(s), segment.ErrForeign))
	// Output:
	// true true true
	// <nil>
	// true
}

// loud is a provider of one's own: it tells what passes through it.
type loud struct{ up segment.Provider }

func (l loud) Acquire(min, max int) (segment.Segment, error) {
	s, err := l.up.Acquire(min, max)
	fmt.Println("acquire", min, "to", max, "bytes:", s.Size, err)
	return s, err
}

func (l loud) Release(s segment.Segment) error {
	err := l.up.Release(s)
	fmt.Println("release", s.Size, "bytes:", err)
	return err
}

func ExampleProvider() {
	cache := segment.NewCache(loud{segment.Heap()}, 0) // keeps nothing
	s, err := cache.Acquire(4096, 4096)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a context gets", s.Size)
	_ = cache.Release(s)
	// Output:
	// acquire 4096 to 4096 bytes: 4096 <nil>
	// a context gets 4096
	// release 4096 bytes: <nil>
}

// What a provider can do is asked by a function, not by a type assertion: a
// decorator has the methods of all interfaces, and passes the call on.
func ExampleResizer() {
	cache := segment.NewCache(segment.Counting(segment.OS()), 64<<20)
	s, err := cache.Acquire(64<<10, 64<<10)
	if err != nil {
		log.Fatal(err)
	}
	var _ segment.Resizer = cache
	s, err = segment.Resize(cache, s, 256<<10, 256<<10, true) // where it is
	fmt.Println(s.Size, err)
	_, err = segment.Resize(segment.Counting(segment.Fixed(make([]byte, 100))), s, 1, 1, true)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	fmt.Println(cache.Release(s))
	// Output:
	// 262144 <nil>
	// true
	// <nil>
}

// A segment can be cut, and its parts released one by one, or be made whole again. A
// cache can do that whatever it stands on; the system itself can on Unix.
func ExampleJoiner() {
	cache := segment.NewCache(segment.Heap(), 64<<20)
	s, err := cache.Acquire(256<<10, 256<<10)
	if err != nil {
		log.Fatal(err)
	}
	var _ segment.Joiner = cache
	a, rest, err := segment.Split(cache, s, 64<<10)
	fmt.Println(a.Size, rest.Size, err)
	b, c, err := segment.Split(cache, rest, 64<<10)
	fmt.Println(b.Size, c.Size, err)
	fmt.Println(cache.Release(c))
	s, err = segment.Join(cache, a, b)
	fmt.Println(s.Size, err)
	fmt.Println(cache.Release(s))
	_, _, err = segment.Split(segment.Counting(segment.Heap()), s, 64<<10)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output:
	// 65536 196608 <nil>
	// 65536 131072 <nil>
	// <nil>
	// 131072 <nil>
	// <nil>
	// true
}

// reserving is a provider whose segments must be committed before use, as those of
// Windows must.
type reserving struct{ segment.Provider }

func (reserving) Commit(s segment.Segment, off, n int) error {
	fmt.Println("commit", n, "bytes at", off)
	return nil
}

func ExampleCommitter() {
	p := segment.Counting(reserving{segment.Heap()})
	s, err := p.Acquire(1<<16, 1<<16)
	if err != nil {
		log.Fatal(err)
	}
	if c, needed := segment.CommitterOf(p); needed { // asked once, before the first segment
		fmt.Println(c.Commit(s, 0, 4096))
	}
	_ = p.Release(s)
	// Output:
	// commit 4096 bytes at 0
	// <nil>
}

func ExampleNeedsCommitter() {
	for _, p := range []segment.NeedsCommitter{
		segment.Counting(reserving{segment.Heap()}),
		segment.Counting(segment.Heap()),
	} {
		fmt.Println(p.NeedsCommit())
	}
	// Output:
	// true
	// false
}

func ExampleDrainer() {
	system := segment.Counting(segment.OS())
	p := segment.Counting(segment.NewCache(system, 64<<20))
	s, err := p.Acquire(4096, 4096)
	if err != nil {
		log.Fatal(err)
	}
	var _ segment.Drainer = p
	fmt.Println(p.Release(s), "idle:", system.Bytes())
	fmt.Println(segment.Drain(p), "idle:", system.Bytes())
	// Output:
	// <nil> idle: 1048576
	// <nil> idle: 0
}

// What is needed is rounded up, what is welcome rounded down.
func ExampleSizer() {
	cache := segment.NewCache(segment.Heap(), 1<<20)
	fmt.Println(segment.Most(cache, 5000, 6000), segment.Most(cache, 5000, 16000))

	// A budget knows that, and does not ask for 5000 bytes while it has 6000 left.
	counter := segment.Counting(cache)
	_, err := segment.NewBudget("small", counter, 6000).Acquire(5000, 5000)
	fmt.Println(err)
	fmt.Println(counter.Calls(), "calls")
	// Output:
	// 8192 12288
	// segment: budget "small": 8192 bytes, with 0 of 6000 used: memory limit reached
	// 0 calls
}

// A cache takes many segments back under one lock. Of other providers ReleaseMany
// makes as many releases.
func ExampleManyReleaser() {
	for _, p := range []segment.Provider{segment.NewCache(segment.Heap(), 64<<20), segment.Heap()} {
		var ss []segment.Segment
		for range 100 {
			s, err := p.Acquire(64<<10, 64<<10)
			if err != nil {
				fmt.Println(err)
				return
			}
			ss = append(ss, s)
		}
		_, ok := p.(segment.ManyReleaser)
		refused, err := segment.ReleaseMany(p, ss)
		fmt.Println(ok, len(refused), err)
	}
	// Output:
	// true 0 <nil>
	// false 0 <nil>
}
