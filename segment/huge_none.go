//go:build !linux

package segment

func adviseHuge(Segment) {}
