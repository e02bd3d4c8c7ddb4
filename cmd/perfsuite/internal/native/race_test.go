//go:build race

package native

// scales leave out the full length, of which the race detector would make
// minutes.
var scales = []int{7}
