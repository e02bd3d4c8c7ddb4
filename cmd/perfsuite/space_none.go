//go:build !linux

package main

// freeSpace would return how much may still be written into a folder.
func freeSpace(string) (bytes int64, known bool) { return 0, false }
