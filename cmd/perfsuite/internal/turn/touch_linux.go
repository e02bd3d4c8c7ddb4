package turn

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// touchFiles makes the program resident, as far as it lies in a file: what pages
// of code a workload happens to reach first is not growth of its heap. Systems
// before Linux 5.14 refuse, and count those pages. The native twin does the same.
func touchFiles() error {
	maps, err := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		if start, end, ok := readOnlyFile(line); ok {
			if _, _, no := unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_POPULATE_READ); no != 0 {
				err = no
			}
		}
	}
	return err
}

// readOnlyFile understands a line of /proc/self/maps if it is of a part of a file
// that cannot be written.
func readOnlyFile(line string) (start, end uintptr, ok bool) {
	var mode, offset, device, inode, path string
	n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s %s", &start, &end, &mode, &offset, &device, &inode, &path)
	return start, end, n == 7 && strings.HasPrefix(mode, "r-") && strings.HasPrefix(path, "/")
}
