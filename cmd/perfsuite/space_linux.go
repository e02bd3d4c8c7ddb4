package main

import "syscall"

// freeSpace returns how many bytes may still be written into a folder, and whether
// the system tells.
func freeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	free := int64(s.Bavail) * int64(s.Bsize)
	return free, free >= 0
}
