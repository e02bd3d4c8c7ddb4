package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
)

// Run makes a turn in a child process: program, started with the order in its
// environment. Cancelling ctx kills the child.
func Run(ctx context.Context, program subject.Program, o Order) (*Outcome, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if program.Path == "" {
		if program.Path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, program.Path)
	c.Env = append(append(os.Environ(), program.Env...), variable+"="+string(text))
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return nil, childError(err, stderr.String())
	}
	out := new(Outcome)
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		return nil, fmt.Errorf("child's outcome: %w", err)
	}
	return out, nil
}

// childError says in one line how a child ended.
func childError(err error, stderr string) error {
	if errors.Is(err, errors.ErrUnsupported) {
		return errors.New("this system cannot start child processes")
	}
	line := stderr
	for l := range strings.Lines(stderr) {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			line = l
			break
		}
	}
	line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
	if line == "" {
		return fmt.Errorf("child: %w", err)
	}
	return fmt.Errorf("child: %w: %s", err, line)
}
