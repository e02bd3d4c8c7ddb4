package turn

import (
	"errors"
	"os"
	"runtime/pprof"
	"time"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/work"
)

// profileTime is how long a workload is repeated under the profiler. That takes
// a hundred samples a second; one run alone may have none.
const profileTime = 3 * time.Second

// profile repeats the run under the profiler for at least as long as asked for,
// and writes the profile to a file.
func profile(name string, r work.Runner, long time.Duration) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for start := time.Now(); ; {
		if _, _, err := timeRun(r); err != nil {
			return err
		}
		if time.Since(start) >= long {
			return nil
		}
	}
}
