//go:build !unix && !windows

package subject

var others []Subject
