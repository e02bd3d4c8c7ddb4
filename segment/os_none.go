//go:build !unix && !windows

package segment

// OS returns [Heap]: there are no pages to be had from this system.
func OS() Provider { return Heap() }
