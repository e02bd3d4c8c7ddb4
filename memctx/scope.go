package memctx

import "errors"

// Scope makes a context with the given options, calls f with it and closes it
// when f returns or panics. Blocks and slices of the context must not leave f.
// Scope returns the errors of New, f and Close, joined.
//
// A panic of f goes on as it was; that it left broken guards is not reported on
// top. If f returns and a guard is broken, that is a fault. In both cases all
// memory has been given back.
func Scope(o *Options, f func(*Context) error) error {
	mc, err := New(o)
	if err != nil {
		return err
	}
	defer mc.abandon()
	err = f(mc)
	return errors.Join(err, mc.Close())
}

// abandon closes a context that a panic left open, without looking at guards.
// What the panic interrupted may have been a call of the context. A function of
// OnClose can panic too, and is not called again.
func (mc *Context) abandon() {
	if mc.mode&closed == 0 {
		mc.abandonAfter(mc.callbacks())
	}
}

// abandonAfter is abandon where so many functions may panic.
func (mc *Context) abandonAfter(panics int) {
	defer func() {
		if mc.mode&closed == 0 && panics > 0 {
			mc.abandonAfter(panics - 1)
		}
	}()
	mc.pardon()
	_ = mc.Close() // there is a panic to report already
}
