// Package subject names the heaps that perfsuite compares and makes them.
package subject

import (
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/floor"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/goheap"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/modernc"
)

// Subject is a heap under test.
type Subject struct {
	Name string
	Text string // what it is, in a line

	// New makes the heap ready for one workload whose streams are scaled down
	// by scale; 1 is full.
	New func(scale int) work.Runner
}

var all = []Subject{
	{"goheap", "Go's own heap; to free is to drop the reference", goheap.New},
	{"modernc", "the allocator modernc.org/memory", modernc.New},
	{"floor", "a bump pointer on warm memory that frees nothing: the limit", floor.New},
}

// All returns the subjects in the order of reports.
func All() []Subject { return all }

// Find returns the subject of a name, and whether there is one.
func Find(name string) (Subject, bool) {
	for _, s := range all {
		if s.Name == name {
			return s, true
		}
	}
	return Subject{}, false
}
