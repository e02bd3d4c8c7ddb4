package memctx

import (
	"errors"
	"iter"
	"slices"
)

// family is what a context has to do with others: it is allocated when that
// begins, and most contexts have none.
type family struct {
	parent   *Context
	children []*Context // oldest first
	onReset  []func()
	onClose  []func()
	pool     *Pool // that has lent the context to a user

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
	return slices.Values(slices.Clone(mc.family.children))
}

// OnReset lets f be called at the beginning of every [Context.Reset], that of a
// parent included, while all blocks are still there. The newest function is
// called first, and those of a parent before those of its children.
func (mc *Context) OnReset(f func()) { mc.kin().onReset = append(mc.kin().onReset, f) }

// OnClose lets f be called once, at the beginning of [Context.Close], that of a
// parent included, while all blocks are still there. The newest function is
// called first, and those of a parent before those of its children. A [Pool] calls
// them when the context is put back.
func (mc *Context) OnClose(f func()) { mc.kin().onClose = append(mc.kin().onClose, f) }

func (mc *Context) append(child *Context) {
	child.kin().parent = mc
	mc.kin().children = append(mc.kin().children, child)
}

// leaveParent takes the context out of its parent's children, if it has one.
func (mc *Context) leaveParent() {
	if mc.family == nil || mc.family.parent == nil {
		return
	}
	f := mc.family.parent.family
	f.children = slices.DeleteFunc(f.children, func(c *Context) bool { return c == mc })
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
	for n := len(f.onClose); n > 0; n = len(f.onClose) {
		call := f.onClose[n-1]
		f.onClose = f.onClose[:n-1] // also if it panics
		call()
	}
	for _, c := range slices.Backward(slices.Clone(f.children)) {
		err = errors.Join(err, c.Close())
	}
	return err
}

// resetBelow calls what was registered with OnReset and resets all children,
// newest first. They keep no segment: it may be a block of this context.
func (mc *Context) resetBelow() (err error) {
	f := mc.family
	if f == nil || mc.mode&closed != 0 {
		return nil
	}
	if mc.mode&busy != 0 {
		mc.faultConcurrent("Reset")
	}
	for _, call := range slices.Backward(slices.Clone(f.onReset)) {
		call()
	}
	for _, c := range slices.Backward(slices.Clone(f.children)) {
		err = errors.Join(err, c.reset(0))
	}
	return err
}

// pardon lets mc and all below it close without looking at guards, whatever call
// a panic has interrupted.
func (mc *Context) pardon() {
	for c := range mc.tribe() {
		c.setMode(c.mode&^busy | reported)
	}
}
