//go:build !race

package memctx_test

// raceEnabled reports whether the race detector is on.
const raceEnabled = false
