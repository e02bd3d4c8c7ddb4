package subject

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/ctx"

// huge is there where segment.Huge does something.
var huge = []Subject{{
	Name:  "huge",
	Text:  "a cookmem context on huge pages, as far as the system gives them",
	Note:  "a cache of its own over segment.Huge; whether there are huge pages is the system's decision",
	New:   ctx.OnHuge,
	Play:  ctx.PlayOnHuge,
	Hold:  ctx.HoldOnHuge,
	Asked: true,
}}
