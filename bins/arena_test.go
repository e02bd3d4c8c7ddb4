package bins

import (
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// blocks returns count addresses that stand for blocks, with room for links,
// whose memory stays until the test ends.
func blocks(tb testing.TB, count int) []raw.Addr {
	memory := make([]byte, count*chunk.Min)
	tb.Cleanup(func() { runtime.KeepAlive(memory) })
	all := make([]raw.Addr, count)
	for i := range all {
		all[i] = raw.SliceAddr(memory) + raw.Addr(i*chunk.Min)
	}
	return all
}

// anyBlock is a visit that is content with everything.
func anyBlock(raw.Addr, uintptr) error { return nil }
