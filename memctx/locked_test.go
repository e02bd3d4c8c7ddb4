package memctx_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

func newLocked(t *testing.T, o *memctx.Options) *memctx.Locked {
	t.Helper()
	l, err := memctx.NewLocked(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLockedHasEveryMethod of a context, with the same parameters and results,
// but for those that are for its owner.
func TestLockedHasEveryMethod(t *testing.T) {
	throughDo := []string{"Adopt", "Children", "NewChild", "OnClose", "OnReset", "WriteTree"}
	context, locked := reflect.TypeFor[*memctx.Context](), reflect.TypeFor[*memctx.Locked]()
	signature := func(m reflect.Method) (types []reflect.Type) {
		for i := 1; i < m.Type.NumIn(); i++ {
			types = append(types, m.Type.In(i))
		}
		types = append(types, nil)
		for i := range m.Type.NumOut() {
			types = append(types, m.Type.Out(i))
		}
		return types
	}
	for i := range context.NumMethod() {
		m := context.Method(i)
		l, ok := locked.MethodByName(m.Name)
		if slices.Contains(throughDo, m.Name) {
			if ok {
				t.Errorf("Locked has %s, which is for Do", m.Name)
			}
			continue
		}
		if !ok || !slices.Equal(signature(m), signature(l)) {
			t.Errorf("Locked has no %s like that of Context", m.Name)
		}
	}
}

// TestLockedCalls makes each call once.
func TestLockedCalls(t *testing.T) {
	up := segment.Counting(segment.Heap())
	l := newLocked(t, &memctx.Options{Name: "l", Limit: 1 << 20, Provider: up})
	p, err := l.Alloc(100)
	q, err2 := l.AllocZeroed(10, 10)
	r, err3 := l.AllocAligned(100, 64)
	b, err4 := l.Bytes(10)
	c, err5 := l.CloneBytes([]byte("clone"))
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	if !all(q, 100, 0) || uintptr(r)%64 != 0 || string(c) != "clone" || len(b) != 10 {
		t.Error("not what was asked for")
	}
	if p, err = l.Realloc(p, 10_000); err != nil || l.UsableSize(p) < 10_000 || !l.Contains(p) || !l.TryResize(p, 9000) {
		t.Errorf("Realloc = %v", err)
	}
	blocks := 0
	for range l.Blocks() {
		blocks++
	}
	if blocks != 5 || l.Stats().Blocks != 5 || l.Name() != "l" || l.Limit() != 1<<20 {
		t.Errorf("%d blocks of 5, %+v", blocks, l.Stats())
	}
	for range l.Blocks() {
		break // the lock must be open again
	}
	l.Free(p)
	l.FreeSized(q, 100, 0)
	l.FreeBytes(b)
	if l.Stats().Blocks != 2 || l.Footprint() != up.Bytes() || l.PeakFootprint() < l.Footprint() {
		t.Errorf("%+v", l.Stats())
	}
	l.SetLimit(0)
	if l.Limit() != 0 {
		t.Errorf("limit %d", l.Limit())
	}
	if err := errors.Join(l.Check(), l.Reset(), l.Trim(), l.Close()); err != nil || up.Bytes() != 0 {
		t.Errorf("%v, %d bytes left", err, up.Bytes())
	}
	if _, err := memctx.NewLocked(&memctx.Options{Limit: -1}); err == nil {
		t.Error("a negative limit")
	}
}

// TestLockedAfterAFault must not stay locked.
func TestLockedAfterAFault(t *testing.T) {
	l := newLocked(t, &memctx.Options{Name: "l"})
	p, err := l.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	l.Free(p)
	if fault := faultOf(func() { l.Free(p) }); fault == nil || fault.Kind != diag.DoubleFree {
		t.Errorf("fault %v", fault)
	}
	want := errors.New("from f")
	if err := l.Do(func(mc *memctx.Context) error { _, err := mc.NewChild(nil); return errors.Join(err, want) }); !errors.Is(err, want) {
		t.Errorf("Do = %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestLockedUnderLoad shares one context with a limit between goroutines, and
// watches the limit.
func TestLockedUnderLoad(t *testing.T) {
	const limit = 1 << 20
	seed := segtest.Seed(t)
	l := newLocked(t, &memctx.Options{Name: "l", Limit: limit, Provider: segment.Heap()})
	done := make(chan struct{})
	var workers, watcher sync.WaitGroup
	watcher.Go(func() {
		for {
			if n, peak := l.Footprint(), l.PeakFootprint(); n > limit || peak > limit {
				t.Errorf("footprint %d, peak %d", n, peak)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for g := range 6 {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(g)))
			var out []unsafe.Pointer
			for i := range 2000 {
				n := 16 + rng.IntN(8000)
				p, err := l.Alloc(n)
				if err == nil {
					fill(p, 16, byte(g))
					out = append(out, p)
				} else if !errors.Is(err, memctx.ErrLimit) {
					t.Error(err)
				}
				if len(out) > 30 || err != nil && len(out) > 0 {
					i := rng.IntN(len(out))
					if !all(out[i], 16, byte(g)) {
						t.Error("block shared by two goroutines")
					}
					l.Free(out[i])
					out = append(out[:i], out[i+1:]...)
				}
				if i%500 == 0 {
					if err := errors.Join(l.Trim(), l.Check()); err != nil {
						t.Error(err)
					}
				}
			}
			for _, p := range out {
				l.Free(p)
			}
		})
	}
	workers.Wait()
	close(done)
	watcher.Wait()
	if s := l.Stats(); s.Blocks != 0 {
		t.Errorf("%d blocks are left", s.Blocks)
	}
	if err := errors.Join(l.Check(), l.Close()); err != nil {
		t.Error(err)
	}
}
