//go:build !linux

package subject

var huge []Subject
