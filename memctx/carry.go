package memctx

import "context"

type carryKey struct{}

// With returns a copy of ctx that carries mc to functions further down, for
// [From]. It says nothing about who closes mc, and mc is still for one goroutine
// at a time: who passes ctx to another goroutine should put a context of its own
// in it.
func With(ctx context.Context, mc *Context) context.Context {
	return context.WithValue(ctx, carryKey{}, mc)
}

// From returns the context that the nearest [With] put into ctx, and false if
// there is none.
func From(ctx context.Context) (*Context, bool) {
	mc, ok := ctx.Value(carryKey{}).(*Context)
	return mc, ok && mc != nil
}
