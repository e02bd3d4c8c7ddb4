package tree

import (
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// spacing is the distance of two test nodes, in bytes.
const spacing = 8 * raw.Word

// nodes returns the addresses of count nodes, whose memory stays until the test ends.
func nodes(tb testing.TB, count int) []raw.Addr {
	memory := make([]byte, max(count, 1)*spacing)
	tb.Cleanup(func() { runtime.KeepAlive(memory) })
	base := raw.SliceAddr(memory)
	all := make([]raw.Addr, count)
	for i := range all {
		all[i] = base + raw.Addr(i)*spacing
	}
	return all
}
