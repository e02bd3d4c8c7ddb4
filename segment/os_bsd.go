//go:build darwin || dragonfly || freebsd || netbsd || openbsd || solaris

package segment

import "golang.org/x/sys/unix"

// MADV_DONTNEED is a hint about the future here and frees nothing.
const adviceDiscard = unix.MADV_FREE
