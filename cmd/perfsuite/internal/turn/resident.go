package turn

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
)

// memory is the resident set of this process, in bytes.
type memory struct{ current, peak int64 }

// resident reads the resident set where the system tells it: on Linux.
func resident() (m memory, known bool) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return memory{}, false
	}
	return parseStatus(text)
}

// growth returns how far the peak has risen above what was current in m, or nil
// where that is not known.
func (m memory) growth() *int64 {
	now, known := resident()
	if !known || m == (memory{}) {
		return nil
	}
	return new(max(0, now.peak-m.current))
}

// parseStatus finds the two lines in the text of /proc/self/status.
func parseStatus(text []byte) (m memory, known bool) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); n == 1 {
			m.peak = kib << 10
		}
		if n, _ := fmt.Sscanf(lines.Text(), "VmRSS: %d kB", &kib); n == 1 {
			m.current = kib << 10
		}
	}
	return m, m.peak != 0 && m.current != 0
}
