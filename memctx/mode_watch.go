package memctx

// These bits stand apart from the others because scripts/bench-off.sh replaces
// this file by one in which they are zero: the compiler then drops every test of
// them, and what is left is a heap that has never heard of observers and checks.
const (
	observed mode = 1 << 30 // an observer is told what calls do
	checked  mode = 1 << 31 // blocks are mapped, filled and delayed; implies exact

	// watching are the modes in which somebody wants to know of every block.
	watching = observed | checked
)
