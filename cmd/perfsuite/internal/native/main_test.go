package native

import (
	"fmt"
	"os"
	"testing"
)

// TestMain keeps the twins of the tests out of the user's cache.
func TestMain(m *testing.M) {
	os.Exit(inCache(m))
}

func inCache(m *testing.M) int {
	dir, err := os.MkdirTemp("", "twins")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Setenv("XDG_CACHE_HOME", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
