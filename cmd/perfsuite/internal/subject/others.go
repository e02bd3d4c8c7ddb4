//go:build unix || windows

package subject

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/modernc"

// others are the heaps of other modules. They need a system that maps memory.
var others = []Subject{{
	Name: "modernc",
	Text: "the allocator modernc.org/memory",
	Note: "it counts its footprint only in a build with -tags memory.counters",
	New:  modernc.New,
	Play: modernc.Play,
	Hold: modernc.Hold,
}}
