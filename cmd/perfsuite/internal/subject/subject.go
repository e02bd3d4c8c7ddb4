// Package subject names the heaps that perfsuite compares and makes them.
//
// A subject of this package lives in a process of perfsuite's own program. One
// of package native has a program of its own, which takes the same orders.
package subject

import (
	"slices"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/ctx"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/floor"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work/goheap"
	"github.com/cookmem-go/cookmem/tree"
)

// Subject is a heap under test.
type Subject struct {
	Name string
	Text string // what it is, in a line
	Note string // what the reader of its numbers should know, or empty

	// New makes the heap ready for one workload whose streams are scaled down
	// by scale; 1 is full. It is nil for a subject that has a Program.
	New func(scale int) work.Runner

	// Play makes the heap ready for a tape. It is nil where New is.
	Play func(*tape.Tape) work.Runner

	// Hold makes the heap ready for a crowd. It is nil where New is.
	Hold func(work.Crowd) work.Holder

	Program Program

	// Asked is set for a subject that takes part only where it is asked for.
	Asked bool
}

// Program is what to start for a turn on a subject. The zero value is the program
// that is running.
type Program struct {
	Path string
	Env  []string // additions to this process's environment
}

var all = slices.Concat([]Subject{
	{Name: "rb", Text: "a cookmem context with red-black trees", New: ctx.RB, Play: ctx.Play(tree.RB), Hold: ctx.Hold(tree.RB)},
	{Name: "avl", Text: "a cookmem context with AVL trees", New: ctx.AVL, Play: ctx.Play(tree.AVL), Hold: ctx.Hold(tree.AVL)},
	{Name: "trie", Text: "a cookmem context with bitwise tries", New: ctx.Trie, Play: ctx.Play(tree.Trie), Hold: ctx.Hold(tree.Trie)},
	{
		Name: "goheap",
		Text: "Go's own heap; to free is to drop the reference",
		Note: "footprint is all that the runtime holds for its heap; drop is one collection",
		New:  goheap.New,
		Play: goheap.Play,
		Hold: goheap.Hold,
	},
}, huge, others, []Subject{
	{
		Name: "floor",
		Text: "a bump pointer on warm memory that frees nothing: the limit",
		Note: "its memory is resident before the first run; every realloc copies",
		New:  floor.New,
		Play: floor.Play,
		Hold: floor.Hold,
	},
})

// All returns the subjects that this system has, in the order of reports.
func All() []Subject { return all }

// Usual returns those that take part unless others are asked for.
func Usual() []Subject {
	return slices.DeleteFunc(slices.Clone(all), func(s Subject) bool { return s.Asked })
}

// Find returns the subject of a name, and whether there is one.
func Find(name string) (Subject, bool) {
	i := slices.IndexFunc(all, func(s Subject) bool { return s.Name == name })
	if i < 0 {
		return Subject{}, false
	}
	return all[i], true
}
