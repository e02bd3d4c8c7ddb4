package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// room is the memory that a machine has, in bytes, or 0 where that is not known.
type room struct {
	total     int64
	available int64 // of it, without pushing out what others use
}

// readRoom asks the system, which tells it on Linux.
func readRoom() room {
	r := room{total: report.ThisMachine().Memory}
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			r.available = kib << 10
		}
	}
	if r.available != 0 {
		r.available = min(r.available, math.MaxInt) // that many bytes can be addressed
	}
	return r
}

const (
	crowdTable = 8  // bytes per block in the table of a crowd
	crowdBlock = 64 // of a block with all that it costs, about, on any subject
)

// crowdNeed returns how much memory a subject takes for a crowd, about.
func crowdNeed(subject string, c work.Crowd) int64 {
	blocks := int64(c.Live)
	switch subject {
	case "goheap":
		blocks *= 2 // it collects when half of it is garbage
	case "floor":
		blocks += int64(c.Replace) // it frees nothing
	}
	return blocks*crowdBlock + int64(c.Live)*crowdTable
}

// neediest returns the subject that takes most memory for so many blocks, and
// how much that is.
func (c *config) neediest(live int) (name string, need int64) {
	crowd := work.NewCrowd(live)
	for _, s := range c.subjects {
		if n := crowdNeed(s.Name, crowd); n > need {
			name, need = s.Name, n
		}
	}
	return name, need
}

// mustFit returns an error for a number of blocks that some subject has no room
// for.
func (c *config) mustFit(live []int, r room) error {
	for _, n := range live {
		if name, need := c.neediest(n); r.available != 0 && need > r.available {
			return fmt.Errorf("%s live blocks take about %s on %s, and %s of memory is available", report.Number(n), gibibytes(need), name, gibibytes(r.available))
		}
	}
	return nil
}

// defaultsThatFit returns those of the default numbers for which half of the
// memory is enough, and notes which others are left out. The first is always
// taken.
func (c *config) defaultsThatFit(r room) []int {
	most := min(r.total/2, r.available)
	for i, n := range defaultLive {
		if name, need := c.neediest(n); i > 0 && need > most {
			c.problems = append(c.problems, fmt.Errorf("no %s live blocks: they take about %s on %s, and the default takes no more than %s; -live asks for them", report.Number(n), gibibytes(need), name, r.half()))
			return defaultLive[:i]
		}
	}
	return defaultLive
}

// half says what most is in the default.
func (r room) half() string {
	switch {
	case r.available == 0 || r.total == 0:
		return "a bit where the size of the memory is not known"
	case r.available < r.total/2:
		return "the " + gibibytes(r.available) + " of memory that are available"
	}
	return gibibytes(r.total/2) + ", half of the memory"
}

func gibibytes(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
