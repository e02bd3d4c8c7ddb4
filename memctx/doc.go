// Package memctx provides memory contexts: heaps outside the garbage collector
// that are dropped in one piece.
//
// A [Context] hands out and takes back blocks like malloc and free, takes its
// memory from a [segment.Provider] in segments, and gives every segment back
// when it is closed, whatever is still allocated. It can be capped: the limit
// holds to the byte for what the provider really handed over. It is the Go
// member of the family of Doug Lea's malloc and of CookMem, and keeps their
// order: boundary tags, exact bins for small free chunks, best-fit trees for
// large ones, splitting and coalescing.
//
//	mc, err := memctx.New(&memctx.Options{Name: "parser", Limit: 64 << 20})
//	if err != nil {
//		return err
//	}
//	defer mc.Close()
//	p, err := mc.Alloc(100)
//	...
//	mc.Free(p)
//
// # Rules for users
//
// Blocks must not hold Go pointers: the collector does not see them there, and
// its write barrier would take the bytes of a recycled block for one. Links
// between blocks are of type [Addr]. A block lives until it is freed or its
// context is reset or closed, not as long as something points to it. One
// goroutine at a time uses a context.
//
// # How a block comes and goes
//
// Small chunks come in classes, each with a quick list of those that were freed:
// Alloc and Free push and pop, and that is all, most of the time. What no list
// has is taken from free chunks, the smallest that fits, or cut off the top, the
// unused end of the newest segment. The top is opened in steps, and each step
// asks whether so much is cached that it should rather be coalesced. When the
// top is used up, a segment is added.
//
// Large chunks are coalesced with their free neighbours as soon as they are
// freed. A segment that has become one free chunk goes back to the provider,
// unless [Options.Retain] lets the context keep it.
//
// The files follow that way: alloc.go, take.go (free chunks, runs, splitting),
// top.go, grow.go and segments.go (memory from the provider), free.go,
// realloc.go, refit.go (segments that grow with their block), trailer.go (blocks that remember their size, alignment and
// guards), close.go and shrink.go (what gives memory back), check.go and stats.go.
//
// Contexts and services: family.go (parents, children, callbacks), feed.go (a
// context as the provider of another), quarantine.go (what it holds back of those
// that are gone), report.go, locked.go, pool.go, fleet.go
// (limits by name), carry.go (a context in a context.Context).
//
// The governing invariant: the chunks of a segment tile it without gaps from its
// first chunk to its fence or the top, and every one of them is live, cached in
// exactly the list of its class, free in exactly the bin or tree of its size. It
// is spelled out, with numbers, in docs/INVARIANTS.md, and [Context.Check]
// derives it anew.
package memctx
