package memctx

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// Context is a heap of its own. It must be made by [New], must not be copied,
// and is used by one goroutine at a time; only Name, Limit, SetLimit,
// Footprint and PeakFootprint may be called from any.
//
// Blocks do not keep their context alive and the collector never gives their
// memory back: a context must be closed.
type Context struct {
	noCopy noCopy

	quick   bins.Lists // cached chunks, by class
	short   gate       // what the short ways let through
	tag     uintptr    // of every head of this context
	mode    mode
	tagTop  uint16 // of tag, as Free compares it
	commits bool   // segments are not usable before they are committed

	small bins.Small // free chunks up to bins.MaxSmall
	tree  tree.Tree  // larger free chunks
	top   top        // the unused end of the newest segment

	segments  segments
	past      *past    // nil if all segments there ever were are in use
	idle      uintptr  // bytes of segments that are one free chunk
	untilLook uintptr  // bytes to carve until lists are looked at
	fresh     raw.Addr // such a chunk, zero but for links and foot, if the present call made it

	large      counts  // blocks that have no class: large ones and trailed ones
	largeBytes uintptr // their chunks

	provider segment.Provider

	retain    uintptr
	name      *string // nil if it has none
	limit     atomic.Int64
	footprint atomic.Int64 // changed by the owner only, at segment events
	peak      atomic.Int64

	op string // the checked call under way, for faults that are found on its way

	watch *watch // diagnostics, nil without any

	family *family // parent, children and what is called; nil without any
}

// counts are the blocks handed out and taken back.
type counts struct{ allocs, frees uint }

// noCopy lets go vet find copies of the struct that holds it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

var contextsMade atomic.Uint64

// tagStep spreads consecutive contexts over the 65,535 tags, with which it has
// no factor in common.
const tagStep = 40504

// New returns an empty context with the given options, of which nil means the
// default. It fails only on invalid options and takes no memory from the
// provider before the first allocation. The options are copied.
func New(o *Options) (*Context, error) {
	if o == nil {
		o = &Options{}
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	number := contextsMade.Add(1)
	mc := &Context{
		tag:      chunk.TagOf(number * tagStep),
		provider: o.Provider,
		retain:   uintptr(o.Retain),
	}
	if o.Name != "" {
		name := o.Name
		mc.name = &name
	}
	if mc.provider == nil {
		mc.provider = segment.Default()
	}
	mc.newWatch(o, number)
	mc.tagTop = chunk.TagTop(mc.tag)
	_, mc.commits = segment.CommitterOf(mc.provider)
	if o.Retain == 0 {
		mc.retain = defaultRetain
	}
	if o.ExactSize || o.Guard || o.isChecked() {
		mc.mode |= exact
	}
	if o.Guard {
		mc.mode |= guard
	}
	mc.quick.Init()
	mc.tree.Init(o.Tree)
	mc.setLimits(o)
	mc.setMode(mc.mode)
	return mc, nil
}

// setLimits sets the limit that the options ask for.
func (mc *Context) setLimits(o *Options) {
	mc.SetLimit(NoLimit)
	if o.Limit != 0 {
		mc.SetLimit(int(o.Limit))
	}
}

// Name returns the context's name. It may be called from any goroutine.
func (mc *Context) Name() string {
	if mc.name == nil {
		return ""
	}
	return *mc.name
}

// Limit returns the largest footprint in bytes, [NoLimit] if there is none. It
// may be called from any goroutine.
func (mc *Context) Limit() int { return int(mc.limit.Load()) }

// SetLimit sets the largest footprint in bytes. A limit below the present
// footprint, 0 included, means that no new segment is taken; allocations that
// the present segments can serve still succeed. A negative limit is 0. It may
// be called from any goroutine.
func (mc *Context) SetLimit(n int) { mc.limit.Store(int64(max(n, 0))) }

// Footprint returns the bytes that the context holds from its provider. It may
// be called from any goroutine.
func (mc *Context) Footprint() int { return int(mc.footprint.Load()) }

// PeakFootprint returns the largest footprint so far. It may be called from
// any goroutine.
func (mc *Context) PeakFootprint() int { return int(mc.peak.Load()) }

// addFootprint moves the footprint by n bytes, which may be negative.
func (mc *Context) addFootprint(n int) {
	now := mc.footprint.Add(int64(n))
	if now > mc.peak.Load() {
		mc.peak.Store(now)
	}
}

// enter begins a checked call: it refuses a second one at the same time and
// reports whether the context is open. The call ends with leave.
func (mc *Context) enter(op string) (open bool) {
	if mc.mode&busy != 0 {
		mc.faultConcurrent(op)
	}
	if mc.mode&closed != 0 {
		return false
	}
	mc.op = op
	mc.setMode(mc.mode | busy)
	return true
}

// leave ends a checked call, which enter began.
func (mc *Context) leave() {
	mc.setMode(mc.mode &^ busy)
	if mc.mode&observed != 0 {
		mc.deliver()
	}
}

// fault panics with f. The context stays usable: its busy bit is cleared first.
func (mc *Context) fault(f diag.Fault) {
	f.Context = mc.Name()
	if f.Allocated == nil && f.Addr != 0 {
		f.Allocated = mc.siteOf(raw.Addr(f.Addr))
	}
	switch {
	case f.Kind == diag.Concurrent: // what is noted is of the other call
		mc.setMode(mc.mode &^ busy)
	case mc.mode&observed != 0:
		mc.watch.note(diag.Event{Kind: diag.EventError, Op: f.Op, Addr: f.Addr, Err: &f})
		mc.deliver()
	default:
		mc.leave()
	}
	panic(&f)
}

func (mc *Context) faultConcurrent(op string) {
	mc.fault(diag.Fault{Kind: diag.Concurrent, Op: op,
		Hint: "another goroutine, or a caller further up, is inside a call of this context"})
}

// failed makes the error of a call that could not be served.
func (mc *Context) failed(op string, n, align int, err error) error {
	e := &Error{Op: op, Context: mc.Name(), By: mc.Name(), N: n, Align: align,
		Limit: mc.Limit(), Footprint: mc.Footprint(), Err: err}
	if err != ErrLimit && errors.Is(err, ErrLimit) {
		e.blame(err)
	}
	if mc.mode&observed != 0 {
		mc.noteFailure(e)
	}
	return e
}

// inUse returns the bytes of chunks that users hold.
func (mc *Context) inUse() uintptr { return mc.quick.LiveBytes() + mc.largeBytes }

// front is the distance from a chunk's payload to what the user gets: the
// guard before the block.
func (mc *Context) front() raw.Addr {
	if mc.mode&guard != 0 {
		return chunk.Align
	}
	return 0
}

// MaxRequest is the largest number of bytes that can be asked for at all; more
// is [ErrSize].
const MaxRequest = min(chunk.Limit, math.MaxInt) - 1<<20
