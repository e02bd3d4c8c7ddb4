package work

import "fmt"

// Test is one of the workloads.
type Test int

// The workloads by what they exercise; their names are perf_1 to perf_12.
const (
	Strings       Test = 1 + iota // one long string copied many times
	StringsTwice                  // the same, cleared and filled again
	Growing                       // a string that grows, copied at each step
	GrowingTwice                  // the same, cleared and done again
	List                          // a linked list as a queue
	Map                           // an ordered map
	Coalesce                      // equal blocks, freed in two interleaved passes
	Holes                         // blocks of mixed sizes freed and replaced at random
	Reallocations                 // many blocks that grow in small steps side by side
	LargeRing                     // a short queue of large blocks
	SmallRing                     // a long queue of small blocks
	Vectors                       // many small vectors that grow side by side

	count = int(Vectors)
)

// Sizes of the objects that the streams ask for, in bytes.
const (
	StringSize   = 32
	ListNodeSize = 24
	MapNodeSize  = 72
)

var texts = [count + 1]string{
	Strings:       "push 1,000,000 copies of a 200-character string on a vector",
	StringsTwice:  "perf_1, then clear the vector and push them again",
	Growing:       "grow a string by one character 10,000 times, push a copy each time",
	GrowingTwice:  "perf_3, clear both, and once more within the kept capacities",
	List:          "list of 100,000 ints as a queue: 4,000,000 times push back, pop front",
	Map:           "ordered map of 60,000 ints to strings: insert, erase half, insert again",
	Coalesce:      "100,000 blocks of 1 KiB: free the even ones, then the odd ones",
	Holes:         "20,000 blocks of 256 B to 8 KiB: free half at random, refill, 10 rounds",
	Reallocations: "1,000 blocks side by side, reallocated from 64 B to 32 KiB by 64",
	LargeRing:     "queue of 4 blocks of 128 KiB to 4 MiB, 10,000 times",
	SmallRing:     "queue of 1,024 blocks of 16 to 2,047 B, 1,000,000 times",
	Vectors:       "10,000 vectors of int32 side by side, 256 pushes each",
}

// Tests returns all workloads in order.
func Tests() []Test {
	all := make([]Test, count)
	for i := range all {
		all[i] = Test(i + 1)
	}
	return all
}

// String returns the name, such as perf_1.
func (t Test) String() string { return fmt.Sprintf("perf_%d", int(t)) }

// Text returns in a line what the workload does at full scale.
func (t Test) Text() string { return texts[t] }

// Parse returns the workload of a name such as perf_7 or 7, and whether there
// is one.
func Parse(name string) (Test, bool) {
	for _, t := range Tests() {
		if name == t.String() || "perf_"+name == t.String() {
			return t, true
		}
	}
	return 0, false
}
