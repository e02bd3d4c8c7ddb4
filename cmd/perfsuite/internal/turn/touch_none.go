//go:build !linux

package turn

func touchFiles() {}
