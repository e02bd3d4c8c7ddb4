package segment

import (
	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// populate ignores errors: kernels before 5.14 do not know the advice.
func populate(s Segment, off, n int) {
	if start, end := wholePages(s, off, n, pageSize); start != end {
		_ = unix.Madvise(raw.Bytes(start, uintptr(end-start)), unix.MADV_POPULATE_WRITE)
	}
}
