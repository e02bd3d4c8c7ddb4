package segment

import "golang.org/x/sys/unix"

// AIX has no MADV_FREE.
const adviceDiscard = unix.MADV_DONTNEED
