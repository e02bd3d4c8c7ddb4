package memctx

import "errors"

// Scope makes a context with the given options, calls f with it and closes it
// when f returns or panics. Blocks and slices of the context must not leave f.
// Scope returns the errors of New, f and Close, joined.
func Scope(o *Options, f func(*Context) error) (err error) {
	mc, err := New(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mc.Close()) }()
	return f(mc)
}
