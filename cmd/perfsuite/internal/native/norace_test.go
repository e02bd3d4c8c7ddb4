//go:build !race

package native

// scales divide the lengths of the streams.
var scales = []int{1, 7}
