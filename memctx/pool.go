package memctx

import (
	"errors"
	"sync"

	"github.com/cookmem-go/cookmem/diag"
)

// Pool lends contexts, one for each request of a service for instance, and keeps
// some of those that come back, with the memory that Options.Retain lets them
// keep. It must be made by [NewPool] and must not be copied. All methods may be
// called by any goroutine.
//
// A sync.Pool is no place for contexts: the collector drops what lies in it, and
// the memory of a context that was not closed is lost.
type Pool struct {
	options Options
	most    int // idle contexts kept

	mu     sync.Mutex
	idle   []*Context // the one put back last is lent first
	stuck  []*Context // closed, but not all of their memory was taken back
	closed bool
}

// NewPool returns a pool of contexts with the given options, of which it keeps up
// to idle, each with up to Options.Retain bytes, while nobody uses them. With idle
// of 0 or less it keeps none. Invalid options are reported by the first Get.
func NewPool(o *Options, idle int) *Pool {
	p := &Pool{most: idle}
	if o != nil {
		p.options = *o
	}
	return p
}

// Get returns an empty context, for the caller alone until Put. It fails if the
// pool is closed, with [ErrClosed], or if its options are invalid.
func (p *Pool) Get() (*Context, error) {
	mc, err := p.take()
	if mc == nil && err == nil {
		mc, err = New(&p.options)
	}
	if err != nil {
		return nil, err
	}
	mc.kin().pool = p
	return mc, nil
}

// take takes an idle context out of the pool, if there is one.
func (p *Pool) take() (mc *Context, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, &Error{Op: "Get", By: p.options.Name, Context: p.options.Name, Limit: NoLimit, Err: ErrClosed}
	}
	if last := len(p.idle) - 1; last >= 0 {
		mc = p.idle[last]
		p.idle[last] = nil
		p.idle = p.idle[:last]
	}
	return mc, nil
}

// Put takes a context back: functions registered with [Context.OnClose] are
// called, children closed, all blocks dropped, and the limit is again that of the
// options. No block of it may be used any more. A nil context is allowed.
//
// If the pool has as many idle contexts as it keeps, or is closed, the context is
// closed. If its provider then refuses to take memory back, the pool keeps it and
// tries again with each Put and Close; so nothing is lost, and there is no error
// to return. A broken guard panics as it does in [Context.Reset], and the memory
// is given back all the same. A context that the pool did not lend, or that was put
// back before, is a fault of kind [diag.Foreign].
func (p *Pool) Put(mc *Context) {
	if mc == nil {
		return
	}
	p.takeBack(mc)
	kept := false
	defer func() { // also if something panics
		if !kept {
			p.drop(mc)
		}
	}()
	p.retry()
	kept = mc.recycle(&p.options) == nil && p.keep(mc)
}

// takeBack ends the loan of mc.
func (p *Pool) takeBack(mc *Context) {
	p.mu.Lock()
	lent := mc.family != nil && mc.family.pool == p
	if lent {
		mc.family.pool = nil
	}
	p.mu.Unlock()
	if !lent {
		panic(&diag.Fault{Kind: diag.Foreign, Op: "Put", Context: mc.Name(),
			Hint: "the pool has not lent this context, or has it back already"})
	}
}

// recycle makes a context as good as new, except for the segments that it keeps.
func (mc *Context) recycle(o *Options) error {
	if mc.mode&closed != 0 {
		return ErrClosed
	}
	if err := mc.closeBelow("Put"); err != nil {
		return err
	}
	mc.leaveParent()
	mc.family.onReset, mc.family.onClose = nil, nil
	_ = mc.Reset() // a segment that was refused is the context's to use again
	mc.setLimits(o)
	mc.peak.Store(mc.footprint.Load())
	return nil
}

// keep puts mc among the idle contexts, if there is room.
func (p *Pool) keep(mc *Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= p.most {
		return false
	}
	p.idle = append(p.idle, mc)
	return true
}

// drop closes a context, or keeps it to try again, whatever panics meanwhile.
func (p *Pool) drop(mc *Context) error {
	defer func() {
		if !mc.isGone() {
			p.keepStuck(mc)
		}
	}()
	defer mc.abandon()
	mc.pardon()
	return mc.Close()
}

// keepStuck keeps contexts to be dropped once more.
func (p *Pool) keepStuck(contexts ...*Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stuck = append(p.stuck, contexts...)
}

// dropAll drops contexts and returns their errors.
func (p *Pool) dropAll(contexts []*Context) (err error) {
	defer func() { p.keepStuck(contexts...) }() // there are some if one panics
	for len(contexts) > 0 {
		mc := contexts[0]
		contexts = contexts[1:]
		err = errors.Join(err, p.drop(mc))
	}
	return err
}

// retry drops once more what was kept for that.
func (p *Pool) retry() {
	p.mu.Lock()
	stuck := p.stuck
	p.stuck = nil
	p.mu.Unlock()
	_ = p.dropAll(stuck) // what is refused again is kept again
}

// isGone reports whether the context is closed and all of its memory given back.
func (mc *Context) isGone() bool {
	return mc.mode&closed != 0 && mc.Footprint() == 0 && (mc.family == nil || mc.family.children.empty())
}

// Idle returns the number of contexts that the pool keeps for later.
func (p *Pool) Idle() int { p.mu.Lock(); defer p.mu.Unlock(); return len(p.idle) }

// Trim closes the idle contexts, which gives all of their memory back. It returns
// an error if a provider refused some; the pool keeps that and tries again.
func (p *Pool) Trim() error {
	p.mu.Lock()
	contexts := append(p.idle, p.stuck...)
	p.idle, p.stuck = nil, nil
	p.mu.Unlock()
	return p.dropAll(contexts)
}

// Close ends the pool: Get fails from now on. Idle contexts are closed at once,
// and those that are lent when they are put back. Close returns an error if a
// provider refused some memory; it can be called again, and returns nil once all
// memory but that of lent contexts has been given back.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	return p.Trim()
}
