//go:build !linux

package segment

func populate(Segment, int, int) {}
