package memctx_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

func mustGet(t testing.TB, p *memctx.Pool) *memctx.Context {
	t.Helper()
	mc, err := p.Get()
	if err != nil {
		t.Fatal(err)
	}
	return mc
}

func TestPoolReuses(t *testing.T) {
	up := segment.Counting(segment.Heap())
	p := memctx.NewPool(&memctx.Options{Name: "request", Limit: 1 << 20, Provider: up}, 2)
	mc := mustGet(t, p)
	mustAlloc(t, mc, 1000)
	mc.SetLimit(5)
	p.Put(mc)
	if up.Bytes() == 0 || p.Idle() != 1 {
		t.Errorf("%d bytes, %d contexts kept", up.Bytes(), p.Idle())
	}
	acquires := up.Acquires()
	again := mustGet(t, p)
	if again != mc || again.Limit() != 1<<20 || again.Stats().Blocks != 0 || again.PeakFootprint() != again.Footprint() {
		t.Errorf("%p after %p, limit %d, %d blocks, peak %d", again, mc, again.Limit(), again.Stats().Blocks, again.PeakFootprint())
	}
	mustAlloc(t, again, 1000)
	if up.Acquires() != acquires {
		t.Error("a context that was put back has lost its memory")
	}
	others := []*memctx.Context{again, mustGet(t, p), mustGet(t, p), mustGet(t, p)}
	for _, mc := range others {
		mustAlloc(t, mc, 1000)
		p.Put(mc)
	}
	if p.Idle() != 2 || up.Bytes() != others[0].Footprint()+others[1].Footprint() {
		t.Errorf("%d contexts and %d bytes kept", p.Idle(), up.Bytes())
	}
	p.Put(nil)
	if err := p.Trim(); err != nil || p.Idle() != 0 || up.Bytes() != 0 {
		t.Errorf("Trim = %v, %d contexts and %d bytes kept", err, p.Idle(), up.Bytes())
	}
	lent := mustGet(t, p)
	mustAlloc(t, lent, 1000)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	_, err := p.Get()
	mustFail(t, err, memctx.ErrClosed, "Get")
	p.Put(lent) // after Close
	if up.Bytes() != 0 || p.Idle() != 0 {
		t.Errorf("%d bytes left", up.Bytes())
	}
}

func TestPoolOfInvalidOptions(t *testing.T) {
	p := memctx.NewPool(&memctx.Options{Retain: -1}, 2)
	if mc, err := p.Get(); err == nil || mc != nil {
		t.Errorf("%v, %v", mc, err)
	}
	p = memctx.NewPool(nil, -1)
	mc := mustGet(t, p)
	mustAlloc(t, mc, 10)
	p.Put(mc)
	if p.Idle() != 0 || mc.Footprint() != 0 {
		t.Errorf("%d contexts kept", p.Idle())
	}
}

// TestPoolEndsWhatTheUserBegan closes children, calls what was registered, once,
// and leaves nothing to the next user.
func TestPoolEndsWhatTheUserBegan(t *testing.T) {
	p := memctx.NewPool(&memctx.Options{Provider: segment.Heap()}, 1)
	mc := mustGet(t, p)
	child := mustChild(t, mc, nil)
	mustAlloc(t, child, 10)
	closes, resets := 0, 0
	mc.OnClose(func() { closes++ })
	mc.OnReset(func() { resets++ })
	if err := newContext(t, nil).Adopt(mc); err != nil {
		t.Fatal(err)
	}
	p.Put(mc)
	if _, err := child.Alloc(1); !errors.Is(err, memctx.ErrClosed) {
		t.Errorf("the child is open: %v", err)
	}
	p.Put(mustGet(t, p))
	if closes != 1 || resets != 0 || p.Idle() != 1 {
		t.Errorf("%d calls at close, %d at reset, %d contexts kept", closes, resets, p.Idle())
	}
	mc = mustGet(t, p)
	if err := mc.Close(); err != nil { // a user may do so
		t.Fatal(err)
	}
	p.Put(mc)
	if p.Idle() != 0 {
		t.Error("the pool keeps a closed context")
	}
}

func TestPoolRefusesStrangers(t *testing.T) {
	p, other := memctx.NewPool(nil, 1), memctx.NewPool(nil, 1)
	mc := mustGet(t, p)
	stranger := newContext(t, nil)
	for _, put := range []func(){func() { other.Put(mc) }, func() { p.Put(stranger) }} {
		if fault := faultOf(put); fault == nil || fault.Kind != diag.Foreign || fault.Op != "Put" {
			t.Errorf("fault %v", fault)
		}
	}
	p.Put(mc)
	if fault := faultOf(func() { p.Put(mc) }); fault == nil || fault.Kind != diag.Foreign {
		t.Errorf("fault %v of the second Put", fault)
	}
	if p.Idle() != 1 {
		t.Errorf("%d contexts kept", p.Idle())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPoolWithABrokenGuard reports it and loses nothing.
func TestPoolWithABrokenGuard(t *testing.T) {
	up := segment.Counting(segment.Heap())
	p := memctx.NewPool(&memctx.Options{Name: "request", Guard: true, Provider: up}, 1)
	mc := mustGet(t, p)
	bytesAt(mustAlloc(t, mc, 10), 11)[10] ^= 1
	if fault := faultOf(func() { p.Put(mc) }); fault == nil || fault.Kind != diag.GuardAfter {
		t.Errorf("fault %v", fault)
	}
	if up.Bytes() != 0 || p.Idle() != 0 {
		t.Errorf("%d bytes, %d contexts kept", up.Bytes(), p.Idle())
	}
}

// TestPoolWithAPanic in a function registered with OnClose.
func TestPoolWithAPanic(t *testing.T) {
	up := segment.Counting(segment.Heap())
	p := memctx.NewPool(&memctx.Options{Provider: up}, 1)
	mc := mustGet(t, p)
	mustAlloc(t, mc, 10)
	mc.OnClose(func() { panic("callback") })
	func() {
		defer func() { _ = recover() }()
		p.Put(mc)
		t.Error("no panic")
	}()
	if up.Bytes() != 0 || p.Idle() != 0 {
		t.Errorf("%d bytes, %d contexts kept", up.Bytes(), p.Idle())
	}
}

// TestPoolKeepsWhatIsRefused lets the provider refuse for a while.
func TestPoolKeepsWhatIsRefused(t *testing.T) {
	up := segment.Counting(segment.Heap())
	stuck := segtest.NewStuck(up)
	p := memctx.NewPool(&memctx.Options{Provider: stuck}, 0)
	mc := mustGet(t, p)
	mustAlloc(t, mc, 10)
	p.Put(mc)
	held := up.Bytes()
	if held == 0 {
		t.Fatal("the provider did not refuse")
	}
	for range 2 {
		mustFail(t, p.Close(), memctx.ErrNoMemory, "Close")
	}
	stuck.Heal()
	if err := p.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
	// And by the next Put.
	stuck = segtest.NewStuck(up)
	p = memctx.NewPool(&memctx.Options{Provider: stuck}, 0)
	mc, next := mustGet(t, p), mustGet(t, p)
	mustAlloc(t, mc, 10)
	p.Put(mc)
	stuck.Heal()
	if p.Put(next); up.Bytes() != 0 {
		t.Errorf("%d bytes left", up.Bytes())
	}
}

// TestPoolFailures fails every call of the provider, one by one and for good.
func TestPoolFailures(t *testing.T) {
	for nth := 1; ; nth++ {
		up := segment.Counting(segment.Heap())
		one, all := segment.Failing(up, nth), segment.FailingFrom(up, nth)
		for _, f := range []*segment.Failer{one, all} {
			p := memctx.NewPool(&memctx.Options{Provider: f, Retain: 32 << 10}, 1)
			for range 3 {
				a, b := mustGet(t, p), mustGet(t, p)
				for _, mc := range []*memctx.Context{a, b} {
					for _, n := range []int{100, 50_000, 1 << 20} {
						if q, err := mc.Alloc(n); err == nil {
							fill(q, n, 1)
						}
					}
					p.Put(mc)
				}
			}
			if p.Close() != nil {
				f.Heal()
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if up.Bytes() != 0 {
				t.Fatalf("call %d failed: %d bytes were not given back", nth, up.Bytes())
			}
		}
		if !one.Failed() {
			break
		}
	}
}

// TestPoolUnderLoad gives every goroutine a context for a moment, over one
// budget. The limits of neither may be exceeded, and nothing is shared.
func TestPoolUnderLoad(t *testing.T) {
	const limit, each, idle, goroutines = 400 << 10, 96 << 10, 4, 8
	seed := segtest.Seed(t)
	up := segment.Counting(segment.NewCache(segment.Heap(), 1<<20))
	tenant := segment.NewBudget("tenant", up, limit)
	p := memctx.NewPool(&memctx.Options{Name: "request", Limit: each, Retain: 64 << 10, Provider: tenant}, idle)
	done := make(chan struct{})
	var workers, watcher sync.WaitGroup
	watcher.Go(func() {
		for {
			if used, peak := tenant.Used(), tenant.Peak(); used > limit || peak > limit || up.Bytes() > limit || p.Idle() > idle {
				t.Errorf("%d used, peak %d, %d out, %d idle", used, peak, up.Bytes(), p.Idle())
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	var own, tenants atomic.Int64
	for g := range goroutines {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(g)))
			for range 300 {
				mc, err := p.Get()
				if err != nil {
					t.Error(err)
					return
				}
				for range rng.IntN(40) {
					n := 1 + rng.IntN(20_000)
					b, err := mc.Bytes(n)
					var budget *segment.LimitError
					switch {
					case err == nil:
						b[0], b[n-1] = byte(g), byte(g)
					case errors.As(err, &budget):
						tenants.Add(1)
					case errors.Is(err, memctx.ErrLimit):
						own.Add(1)
					default:
						t.Error(err)
					}
				}
				if mc.PeakFootprint() > each {
					t.Errorf("footprint of %d", mc.PeakFootprint())
				}
				if rng.IntN(50) == 0 {
					_ = p.Trim()
				}
				runtime.Gosched() // or the goroutines could come one after the other
				p.Put(mc)
			}
		})
	}
	workers.Wait()
	close(done)
	watcher.Wait()
	t.Logf("%d refusals by requests, %d by the tenant", own.Load(), tenants.Load())
	if own.Load() == 0 || tenants.Load() == 0 {
		t.Error("the test is too easy")
	}
	if up.PeakBytes() > limit {
		t.Errorf("%d bytes were out at a time, of %d", up.PeakBytes(), limit)
	}
	if err := p.Close(); err != nil || tenant.Used() != 0 || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d used, %d bytes left", err, tenant.Used(), up.Bytes())
	}
}

// TestCase27_PoolKeepsItsContexts does what loses contexts in a sync.Pool: many
// come and go while the collector runs.
func TestCase27_PoolKeepsItsContexts(t *testing.T) {
	up := segment.Counting(segment.Heap())
	p := memctx.NewPool(&memctx.Options{Provider: up}, 4)
	for range 100 {
		var lent []*memctx.Context
		for range 4 {
			mc := mustGet(t, p)
			mustAlloc(t, mc, 500_000)
			lent = append(lent, mc)
		}
		for _, mc := range lent {
			p.Put(mc)
		}
		runtime.GC()
	}
	if p.Idle() != 4 || up.Bytes() > 4<<20 {
		t.Errorf("%d contexts of 4 are left, with %d bytes", p.Idle(), up.Bytes())
	}
	if err := p.Close(); err != nil || up.Bytes() != 0 {
		t.Errorf("Close = %v, %d bytes left", err, up.Bytes())
	}
}
