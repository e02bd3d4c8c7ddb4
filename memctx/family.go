package memctx

import (
	"errors"
	"iter"
	"slices"
)

// family is what a context has to do with others: it is allocated when that
// begins, and most contexts have none.
type family struct {
	parent       *Context
	older, newer *Context // of the parent's children
	children     siblings
	onReset      []func()
	onClose      []func()
	inReset      bool  // functions of onReset are being called, or children reset
	pool         *Pool // that has lent the context to a user

	quarantine *quarantine // blocks that were segments of others; nil without any
}

var (
	errOwnChild = errors.New("a context cannot be below itself")
	errStands   = errors.New("memory of the child is blocks of a context that is not above its new place")
)

// kin returns the context's family and founds it if need be.
func (mc *Context) kin() *family {
	if mc.family == nil {
		mc.family = &family{}
	}
	return mc.family
}

// NewChild returns a new context below mc, which is closed and reset with it.
// Options are those of [New], but the provider that nil stands for is that of mc:
// parent and child share a cache and its budget, and not each other's limit. With
// [Context.Provider] of mc as the provider, the child's memory is blocks of mc.
//
// A tree belongs to one goroutine while it is changed, closed, reset or written;
// apart from that each of its contexts belongs to one, unless one is made of
// blocks of the other.
func (mc *Context) NewChild(o *Options) (*Context, error) {
	if mc.mode&closed != 0 {
		return nil, mc.failed("NewChild", 0, 0, ErrClosed)
	}
	var options Options
	if o != nil {
		options = *o
	}
	if options.Provider == nil {
		options.Provider = mc.source()
	}
	child, err := New(&options)
	if err != nil {
		return nil, err
	}
	mc.append(child)
	return child, nil
}

// Adopt moves child, with all that is below it, from where it is to below mc.
// Blocks stay where they are. It fails if mc is below child, if one of the two is
// closed, or if memory of the child is blocks of a context that is neither mc nor
// above it nor moves along: that one could be closed first. What stands on such
// blocks through other providers is not noticed.
func (mc *Context) Adopt(child *Context) error {
	switch {
	case (mc.mode|child.mode)&closed != 0:
		return mc.failed("Adopt", 0, 0, ErrClosed)
	case mc.isBelow(child):
		return mc.failed("Adopt", 0, 0, errOwnChild)
	}
	for d := range child.tribe() {
		b, ok := d.source().(blocks)
		if ok && !mc.isBelow(b.mc) && !b.mc.isBelow(child) {
			return mc.failed("Adopt", 0, 0, errStands)
		}
	}
	child.leaveParent()
	mc.append(child)
	return nil
}

// Children returns the contexts right below mc, oldest first, as they are when
// the iteration begins.
func (mc *Context) Children() iter.Seq[*Context] {
	if mc.family == nil {
		return func(func(*Context) bool) {}
	}
	return slices.Values(mc.family.children.all())
}

// OnReset lets f be called at the beginning of every [Context.Reset], that of a
// parent included, while all blocks are still there. The newest function is
// called first, and those of a parent before those of its children. What they
// allocate below the context that is reset is dropped too, also where that was reset
// before them. A Reset from within is a fault of kind [diag.Concurrent]; behind a Close
// from within no other function is called. A nil f is allowed.
func (mc *Context) OnReset(f func()) {
	if f != nil {
		mc.kin().onReset = append(mc.kin().onReset, f)
	}
}

// OnClose lets f be called once, at the beginning of [Context.Close], that of a
// parent included, while all blocks are still there. The newest function is
// called first, and those of a parent before those of its children. What they
// register, make or adopt meanwhile is called and closed too, and what they move
// elsewhere is not. A [Pool] calls them when the context is put back. A nil f is
// allowed.
func (mc *Context) OnClose(f func()) {
	if f != nil {
		mc.kin().onClose = append(mc.kin().onClose, f)
	}
}

func (mc *Context) append(child *Context) {
	child.kin().parent = mc
	mc.kin().children.add(child)
}

// leaveParent takes the context out of its parent's children, if it has one.
func (mc *Context) leaveParent() {
	if mc.family == nil || mc.family.parent == nil {
		return
	}
	mc.family.parent.family.children.remove(mc)
	mc.family.parent = nil
}

// isBelow reports whether mc is a or somewhere below it.
func (mc *Context) isBelow(a *Context) bool {
	for ; mc != nil; mc = mc.family.parent {
		if mc == a {
			return true
		}
		if mc.family == nil {
			break
		}
	}
	return false
}

// tribe returns mc and all below it.
func (mc *Context) tribe() iter.Seq[*Context] {
	return func(yield func(*Context) bool) { mc.each(yield) }
}

func (mc *Context) each(yield func(*Context) bool) bool {
	if !yield(mc) {
		return false
	}
	for c := range mc.Children() {
		if !c.each(yield) {
			return false
		}
	}
	return true
}

// closeBelow calls what was registered with OnClose and closes all children,
// newest first. A child that cannot give back its memory stays a child.
func (mc *Context) closeBelow(op string) (err error) {
	f := mc.family
	if f == nil {
		return nil
	}
	if mc.mode&busy != 0 {
		mc.faultConcurrent(op)
	}
	var stay []*Context
	for { // whatever is called can change the family
		f.callOnClose()
		c := f.newestBut(stay)
		if c == nil {
			return err
		}
		if refused := c.Close(); refused != nil {
			err = errors.Join(err, refused)
			stay = append(stay, c)
		}
	}
}

// callOnClose calls what was registered with OnClose, each function once.
func (f *family) callOnClose() {
	for n := len(f.onClose); n > 0; n = len(f.onClose) {
		call := f.onClose[n-1]
		f.onClose = f.onClose[:n-1] // also if it panics
		call()
	}
}

// newestBut returns the newest child that is none of the given ones, or nil.
func (f *family) newestBut(stay []*Context) *Context {
	for c := f.children.newest; c != nil; c = c.family.older {
		if !slices.Contains(stay, c) {
			return c
		}
	}
	return nil
}

// resetBelow calls what was registered with OnReset and resets all children,
// newest first. They keep no segment: it may be a block of this context.
func (mc *Context) resetBelow() (err error) {
	f := mc.family
	if f == nil || mc.mode&closed != 0 {
		return nil
	}
	if mc.mode&busy != 0 || f.inReset {
		mc.faultConcurrent("Reset")
	}
	f.inReset = true
	defer func() { f.inReset = false }() // also if something panics
	for _, call := range slices.Backward(slices.Clone(f.onReset)) {
		if call(); mc.mode&closed != 0 {
			return nil
		}
	}
	for _, c := range slices.Backward(f.children.all()) {
		if c.family.parent == mc { // still: whatever was called can have changed that
			err = errors.Join(err, c.resetOrClose())
		}
	}
	if err != nil {
		return err
	}
	return mc.emptyBelow()
}

// emptyBelow drops what functions have allocated meanwhile below mc, where that was
// reset before or is new: it may be in blocks of mc, which go. No function is called
// for it, or it would not end.
func (mc *Context) emptyBelow() (err error) {
	if mc.family == nil {
		return nil
	}
	for _, c := range slices.Backward(mc.family.children.all()) {
		err = errors.Join(err, c.emptyBelow())
		if c.mode&closed == 0 && c.Footprint() > 0 {
			err = errors.Join(err, c.resetAlone(0))
		}
	}
	return err
}

// resetOrClose resets a child, or tries once more to close one that could not give
// back its memory.
func (mc *Context) resetOrClose() error {
	if mc.mode&closed != 0 {
		return mc.Close()
	}
	return mc.reset(0)
}

// callbacks returns the number of functions registered with OnClose, in mc and below.
func (mc *Context) callbacks() (n int) {
	for c := range mc.tribe() {
		if c.family != nil {
			n += len(c.family.onClose)
		}
	}
	return n
}

// pardon lets mc and all below it close without looking at guards, whatever call
// a panic has interrupted.
func (mc *Context) pardon() {
	for c := range mc.tribe() {
		c.setMode(c.mode&^busy | reported)
	}
}
