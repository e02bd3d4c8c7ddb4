package segment

import (
	"golang.org/x/sys/unix"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// adviseHuge ignores errors: a kernel may have no huge pages.
func adviseHuge(s Segment) {
	if start, end := wholePages(s, 0, s.Size, pageSize); start != end {
		_ = unix.Madvise(raw.Bytes(start, uintptr(end-start)), unix.MADV_HUGEPAGE)
	}
}
