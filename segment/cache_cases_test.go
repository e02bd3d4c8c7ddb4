package segment_test

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/cookmem-go/cookmem/internal/segtest"
	"github.com/cookmem-go/cookmem/segment"
)

func TestCase11_RepeatedSegments(t *testing.T) {
	c, up := newCache(64 * mib)
	for _, n := range []int{64, 4096, 256 * kib, 2 * mib} {
		for range 50_000 {
			mustRelease(t, c, mustAcquire(t, c, n))
		}
	}
	if up.Calls() >= 100 {
		t.Errorf("%d calls to the upstream", up.Calls())
	}
	mustDrain(t, c, up)
}

func TestCase12_AlternatingLargeSegments(t *testing.T) {
	c, up := newCache(1 << 30)
	rng := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	held := mustAcquire(t, c, mib)
	for range 10_000 {
		s := mustAcquire(t, c, (1+rng.IntN(30))*mib)
		mustRelease(t, c, held)
		held = s
	}
	mustCheck(t, c)
	mustRelease(t, c, held)
	if up.Calls() >= 100 {
		t.Errorf("%d calls to the upstream", up.Calls())
	}
	mustDrain(t, c, up)
}

func TestCase14_ReleaseFails(t *testing.T) {
	up := segtest.NewStuck(segment.OS())
	count := segment.Counting(up)
	c := segment.NewCache(count, 2*mib)
	var out []segment.Segment
	for range 10 {
		out = append(out, mustAcquire(t, c, mib))
	}
	mustRelease(t, c, out...)
	mustCheck(t, c)
	if up.Refused() == 0 || c.Held() != 10*mib || c.Idle() != 10*mib {
		t.Fatalf("%d releases refused, %d bytes held, %d idle", up.Refused(), c.Held(), c.Idle())
	}
	if up.Refused() > 10 {
		t.Errorf("%d releases tried for 10 segments", up.Refused())
	}
	if count.Discards() == 0 && hasPages() {
		t.Error("pages that could not go back were not discarded")
	}
	if err := c.Drain(); !errors.Is(err, segment.ErrNoMemory) {
		t.Errorf("Drain reports %v", err)
	}
	mustCheck(t, c)
	acquires := count.Acquires()
	s := mustAcquire(t, c, mib) // what is stuck is still good for use
	if count.Acquires() != acquires {
		t.Error("stuck memory was not used")
	}
	mustRelease(t, c, s)
	up.Heal()
	mustDrain(t, c, count)
}

// One of two neighbouring reservations goes; the other must stay readable.
func TestCase22_NeighbouringReservations(t *testing.T) {
	for name, p := range map[string]segment.Provider{
		"os":                   segment.OS(),
		"reserving":            segtest.Reserving(),
		"cache":                segment.NewCache(segment.OS(), 0),
		"cache over reserving": segment.NewCache(segtest.Reserving(), 0),
	} {
		t.Run(name, func(t *testing.T) {
			var out []segment.Segment
			for i := range 64 {
				s := mustAcquire(t, p, 64*kib)
				segtest.Fill(mustCommit(t, p, s), byte(i))
				out = append(out, s)
			}
			for first := range 2 {
				for i := first; i < len(out); i += 2 {
					if !segtest.All(out[i], byte(i)) {
						t.Errorf("segment %d has changed", i)
					}
					mustRelease(t, p, out[i])
				}
			}
		})
	}
}

func TestCase30_ManySmallSegments(t *testing.T) {
	count := 100_000
	if bits.UintSize == 32 || runtime.GOARCH == "wasm" {
		count = 20_000 // of 4 GiB of addresses
	}
	c, up := newCache(64 * mib)
	out := make([]segment.Segment, count)
	for i := range out {
		out[i] = mustAcquire(t, c, 16*kib)
	}
	if most := count*16*kib/segment.CarveSize + 1; up.Acquires() > most {
		t.Errorf("%d mappings for %d segments, want at most %d", up.Acquires(), count, most)
	}
	for i := 0; i < count; i += 2 {
		mustRelease(t, c, out[i])
	}
	if err := c.Drain(); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, c)
	if s := c.Stats(); s.Segments != count/2 || s.InUse != count/2*16*kib {
		t.Errorf("%+v", s)
	}
	for i := 1; i < count; i += 2 {
		mustRelease(t, c, out[i])
	}
	mustDrain(t, c, up)
}
