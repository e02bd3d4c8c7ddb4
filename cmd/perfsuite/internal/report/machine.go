package report

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine is the computer that was measured. What the system does not tell is
// empty or zero.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory"` // bytes
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

// ThisMachine describes the computer this runs on.
func ThisMachine() Machine {
	return Machine{
		CPU:    cpuModel(),
		Cores:  runtime.NumCPU(),
		Memory: memorySize(),
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
	}
}

// String describes the machine in a line.
func (m Machine) String() string {
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown processor"
	}
	s := fmt.Sprintf("%s, %d cores", cpu, m.Cores)
	if m.Memory != 0 {
		s += ", " + size(m.Memory) + " memory"
	}
	return s + ", " + m.OS + "/" + m.Arch
}

// cpuModel reads what Linux tells, or what Windows keeps in the environment.
func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return os.Getenv("PROCESSOR_IDENTIFIER")
}

func memorySize() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	var kib int64
	if n, _ := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); n != 1 {
		return 0
	}
	return kib << 10
}
