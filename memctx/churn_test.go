package memctx_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// The churn is an hour of a service, told in minutes. Each minute its sizes are of
// another kind, while the bytes that are live stay the same.
const (
	churnMinutes = 60
	churnBlocks  = 50_000  // allocated in a minute
	churnLive    = 8 << 20 // bytes

	// The largest footprint as a multiple of what is live, and the mean footprint of
	// the last quarter of the hour as a multiple of that of the second. Of a dozen
	// seeds six gave 2.69 and up to 1.11, the others 2.49 and 1.03: the footprint grows
	// by whole segments, and one more is allowed here. Without quick lists, under
	// ExactSize, the first is 1.7: cached chunks keep their free neighbours apart.
	churnMost   = 3.0
	churnGrowth = 1.25
)

// churn holds blocks of churnLive bytes and replaces them.
type churn struct {
	mc     *memctx.Context
	rand   *rand.Rand
	blocks []churnBlock
	live   int
}

type churnBlock struct {
	p unsafe.Pointer
	n int
}

// sizes returns the sizes of a minute: spread around a middle that wanders
// between 32 bytes and 4 KiB, narrowly or widely.
func (c *churn) sizes(minute int) func() int {
	middle := 32 * math.Exp2(3.5+3.5*math.Sin(float64(minute)*0.7))
	width := []float64{0.1, 0.5, 1.5}[minute%3]
	return func() int { return max(1, int(middle*math.Exp2(width*c.rand.NormFloat64()))) }
}

// replace allocates a block and frees others, chosen at random, until no more
// than churnLive bytes are live.
func (c *churn) replace(t *testing.T, n int) {
	c.blocks = append(c.blocks, churnBlock{mustAlloc(t, c.mc, n), n})
	for c.live += n; c.live > churnLive; {
		i, last := c.rand.IntN(len(c.blocks)), len(c.blocks)-1
		c.mc.Free(c.blocks[i].p)
		c.live -= c.blocks[i].n
		c.blocks[i] = c.blocks[last]
		c.blocks = c.blocks[:last]
	}
}

// quarters plays the hour and returns the mean footprint of each quarter.
func (c *churn) quarters(t *testing.T) (means [4]float64) {
	for minute := range churnMinutes {
		size := c.sizes(minute)
		for range churnBlocks {
			c.replace(t, size())
		}
		means[minute*4/churnMinutes] += float64(c.mc.Footprint()) * 4 / churnMinutes
	}
	return means
}

// TestFootprintUnderChurn bounds what shifting sizes can do to the footprint: what
// blocks of one kind leave behind must serve the next kind.
func TestFootprintUnderChurn(t *testing.T) {
	mc := newContext(t, &memctx.Options{Provider: segment.OS()})
	c := &churn{mc: mc, rand: rand.New(rand.NewPCG(segtest.Seed(t), 29))}
	means := c.quarters(t)
	most, growth := float64(mc.PeakFootprint())/churnLive, means[3]/means[1]
	t.Logf("mean footprints %.0f; at most %.2f times what is live, growth %.2f", means, most, growth)
	if most > churnMost || growth > churnGrowth {
		t.Errorf("mean footprints of the quarters %.0f, at most %.2f times what is live, growth %.2f", means, most, growth)
	}
}
