package segment_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

// manualClock is a clock that a test sets, and that counts who looks at it.
type manualClock struct{ now, looks atomic.Int64 }

func (c *manualClock) tell() time.Duration {
	c.looks.Add(1)
	return time.Duration(c.now.Load())
}

func (c *manualClock) advance(d time.Duration) { c.now.Add(int64(d)) }

// newDecaying returns a cache whose mappings decay within one to two minutes.
func newDecaying(up segment.Provider) (*segment.Cache, *manualClock) {
	c, clock := segment.NewCache(up, 256*mib), &manualClock{}
	c.SetClock(clock.tell)
	c.SetDecay(time.Minute)
	return c, clock
}

// visit makes n calls that leave other mappings alone.
func visit(t *testing.T, c *segment.Cache, n int) {
	t.Helper()
	for range (n + 1) / 2 {
		mustRelease(t, c, mustAcquire(t, c, 16*kib))
	}
}

func TestCacheDecays(t *testing.T) {
	up := segment.Counting(segment.OS())
	c, clock := newDecaying(up)
	visit(t, c, 2) // makes a mapping, which is in use now and then
	small := up.Bytes()
	var out []segment.Segment
	for range 10 {
		out = append(out, mustAcquire(t, c, 3*mib))
	}
	busy := out[9]
	mustRelease(t, c, out[:9]...)
	all := up.Bytes()

	for range 6 { // once a period has passed for sure
		clock.advance(10 * time.Second)
		visit(t, c, 100)
		if up.Bytes() != all {
			t.Fatalf("%d bytes went back after %v", all-up.Bytes(), time.Duration(clock.now.Load()))
		}
	}
	// One of them is used again, just before the others go.
	mustRelease(t, c, mustAcquire(t, c, 3*mib))
	clock.advance(time.Minute)
	visit(t, c, 100)
	mustCheck(t, c)
	if want := small + 2*3*mib; up.Bytes() != want {
		t.Errorf("%d bytes are held after two periods, want %d", up.Bytes(), want)
	}
	mustRelease(t, c, busy)
	for range 3 {
		clock.advance(time.Minute)
		visit(t, c, 100)
	}
	if up.Bytes() != small {
		t.Errorf("%d bytes are held at the end, want %d", up.Bytes(), small)
	}
	mustDrain(t, c, up)
}

// However long nobody calls, what is released then is not taken for old.
func TestCacheDecaysNotAtOnce(t *testing.T) {
	up := segment.Counting(segment.OS())
	c, clock := newDecaying(up)
	for range 20 {
		s := mustAcquire(t, c, 3*mib)
		clock.advance(time.Hour)
		mustRelease(t, c, s)
		clock.advance(30 * time.Second)
		visit(t, c, 100)
		if c.Idle() < 3*mib {
			t.Fatal("a mapping went back after 30 s of a minute")
		}
	}
}

func TestCacheDecaysStepByStep(t *testing.T) {
	up := segment.Counting(segment.OS())
	c, clock := newDecaying(up)
	var out []segment.Segment
	for range 50 {
		out = append(out, mustAcquire(t, c, 2*mib))
	}
	keep := mustAcquire(t, c, 16*kib)
	if refused, err := segment.ReleaseMany(c, out); err != nil {
		t.Fatal(len(refused), err)
	}
	for range 2 {
		clock.advance(time.Minute)
		visit(t, c, 16)
	}
	before := up.Releases()
	for i := range 10 {
		visit(t, c, 2)
		if n := up.Releases() - before; n > 2*(i+1) {
			t.Fatalf("%d mappings went back in %d calls", n, 2*(i+1))
		}
	}
	if n := up.Releases() - before; n < 10 {
		t.Errorf("%d mappings went back in 20 calls", n)
	}
	looks := clock.looks.Load()
	visit(t, c, 200)
	if up.Releases() != 50 {
		t.Errorf("%d of 50 mappings went back", up.Releases())
	}
	if clock.looks.Load() == looks {
		t.Error("nobody looks at the clock")
	}
	looks = clock.looks.Load()
	visit(t, c, 1600)
	if n := clock.looks.Load() - looks; n > 100 {
		t.Errorf("%d looks at the clock in 1600 calls", n)
	}
	mustRelease(t, c, keep)
}

func TestCacheWithoutDecay(t *testing.T) {
	up := segment.Counting(segment.OS())
	c, clock := newDecaying(up)
	mustRelease(t, c, mustAcquire(t, c, 3*mib))
	for _, d := range []time.Duration{0, -1} {
		c.SetDecay(d)
		looks := clock.looks.Load()
		for range 5 {
			clock.advance(time.Hour)
			visit(t, c, 100)
		}
		if c.Idle() < 3*mib || clock.looks.Load() != looks {
			t.Errorf("SetDecay(%v): %d bytes idle, %d looks at the clock", d, c.Idle(), clock.looks.Load()-looks)
		}
	}
	if d := segment.Default().Decay(); d != 10*time.Second {
		t.Errorf("the decay of the shared cache is %v", d)
	}
}

// What the upstream refuses stays usable, and is tried again a period later.
func TestCacheDecaysAgain(t *testing.T) {
	stuck := segtest.NewStuck(segment.OS())
	up := segment.Counting(stuck)
	c, clock := newDecaying(up)
	mustRelease(t, c, mustAcquire(t, c, 3*mib))
	keep := mustAcquire(t, c, 16*kib)
	for range 2 {
		clock.advance(time.Minute)
		visit(t, c, 100)
	}
	mustCheck(t, c)
	if n := stuck.Refused(); n != 1 || c.Stats().Failures != 1 {
		t.Errorf("%d refusals in one period, %d failures", n, c.Stats().Failures)
	}
	mustRelease(t, c, mustAcquire(t, c, 3*mib)) // that very one
	if up.Acquires() != 2 {
		t.Errorf("%d mappings made", up.Acquires())
	}
	stuck.Heal()
	for range 3 {
		clock.advance(time.Minute)
		visit(t, c, 100)
	}
	if up.Releases() != 1 {
		t.Error("the mapping did not go back when it could")
	}
	mustRelease(t, c, keep)
	mustDrain(t, c, up)
}

// Time flies while goroutines use the cache.
func TestCacheDecaysConcurrently(t *testing.T) {
	up := segment.Counting(segment.Heap())
	c, clock := newDecaying(up)
	tell := clock.tell
	c.SetClock(func() time.Duration { clock.advance(20 * time.Second); return tell() })
	c.SetDecay(time.Minute)
	books := segtest.NewLedger(c)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() { hammer(t, c, books, byte(g+1)) })
	}
	wg.Wait()
	books.Settled(t)
	visit(t, c, 200) // should the goroutines have left nothing idle for long
	if c.Stats().Evictions == 0 {
		t.Error("nothing has decayed")
	}
	mustDrain(t, c, up)
}
