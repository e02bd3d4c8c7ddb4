package diag

// Stats is a snapshot of a heap. Sizes are bytes; those of blocks and chunks
// include what they cost, heads and rounding. At any time
//
//	Footprint = InUse + Cached + Free + Top + Reserve + Overhead
//
// where InUse is with users and the rest is not.
type Stats struct {
	Footprint     int // obtained from the provider and not given back
	PeakFootprint int // the largest Footprint so far
	InUse         int // chunks that users hold
	Cached        int // chunks in quick lists, ready for their own class; under Checked those freed a while ago; what is in quarantine
	Free          int // coalesced chunks in bins and trees, ready for anything
	Top           int // opened end of the newest segment
	Reserve       int // unopened rest of the newest segment, never written to
	Overhead      int // ends of segments

	LargestFree int  // the largest chunk in bins, trees or the rest of the newest segment
	Segments    int  // segments held
	Blocks      uint // blocks that users hold
	Allocs      uint // blocks ever handed out; wraps on 32-bit systems
	Frees       uint // blocks ever taken back; wraps on 32-bit systems
	Unreleased  int  // bytes of segments that the provider refused to take back
}

// Block is one live allocation.
type Block struct {
	Addr  uintptr // what Alloc returned
	Size  int     // usable bytes; the requested ones if Exact
	Align int     // what was asked for, at least the default alignment
	Exact bool    // Size is the requested number of bytes
	Stack *Stack  // where it was allocated, nil if that was not recorded
}
