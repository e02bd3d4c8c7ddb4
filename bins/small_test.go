package bins

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/internal/segtest"
)

// TestSmallAgainstAMap runs random operations beside a map from blocks to sizes.
func TestSmallAgainstAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(segtest.Seed(t), 0))
	var s Small
	free := blocks(t, 200)
	held := map[raw.Addr]uintptr{}
	draw := func() uintptr { return chunk.Min + uintptr(r.IntN(smallBins-2))*chunk.Align }
	leave := func(b raw.Addr) {
		delete(held, b)
		free = append(free, b)
	}
	for range 20_000 {
		size := draw()
		switch op := r.IntN(10); {
		case op < 5 && len(free) > 0:
			b := free[len(free)-1]
			free = free[:len(free)-1]
			s.Insert(b, size)
			held[b] = size
		case op < 6:
			for b, size := range held {
				s.Remove(b, size)
				leave(b)
				break
			}
		case op < 8:
			b := s.TakeExact(size)
			if b == 0 && smallest(held, size) == size || b != 0 && held[b] != size {
				t.Fatalf("TakeExact(%d) = %#x of %d bytes", size, b, held[b])
			}
			if b != 0 {
				leave(b)
			}
		default:
			want := smallest(held, size)
			b, got := s.Take(size)
			if got != want || b == 0 != (want == 0) || held[b] != got {
				t.Fatalf("Take(%d) = %#x of %d bytes, want %d", size, b, got, want)
			}
			if b != 0 {
				leave(b)
			}
		}
		compare(t, &s, held)
	}
}

// smallest returns the smallest held size that is at least size, or 0.
func smallest(held map[raw.Addr]uintptr, size uintptr) (found uintptr) {
	for _, s := range held {
		if s >= size && (found == 0 || s < found) {
			found = s
		}
	}
	return found
}

// compare compares all that can be seen of s with the map.
func compare(t *testing.T, s *Small, held map[raw.Addr]uintptr) {
	t.Helper()
	bytes, largest := uintptr(0), uintptr(0)
	for _, size := range held {
		bytes += size
		largest = max(largest, size)
	}
	if s.Count() != len(held) || s.Bytes() != bytes || s.Largest() != largest {
		t.Fatalf("Count, Bytes, Largest = %d, %d, %d, want %d, %d, %d", s.Count(), s.Bytes(), s.Largest(), len(held), bytes, largest)
	}
	seen := 0
	err := s.Check(func(b raw.Addr, size uintptr) error {
		if held[b] != size {
			t.Fatalf("%#x is in the bin of %d bytes, not %d", b, size, held[b])
		}
		seen++
		return nil
	})
	if err != nil || seen != len(held) {
		t.Fatalf("Check = %v after %d of %d chunks", err, seen, len(held))
	}
}

func TestSmallTakeBeyondTheLargestBin(t *testing.T) {
	var s Small
	b := blocks(t, 1)[0]
	s.Insert(b, MaxSmall)
	for _, size := range []uintptr{MaxSmall + chunk.Align, 1 << 20, ^uintptr(0) &^ (chunk.Align - 1)} {
		if got, found := s.Take(size); got != 0 {
			t.Errorf("Take(%d) = %#x of %d bytes", size, got, found)
		}
	}
	if got, found := s.Take(MaxSmall); got != b || found != MaxSmall {
		t.Errorf("Take(MaxSmall) = %#x of %d bytes", got, found)
	}
}

func TestSmallClear(t *testing.T) {
	var s Small
	for i, b := range blocks(t, 20) {
		s.Insert(b, chunk.Min+uintptr(i)*chunk.Align)
	}
	s.Clear()
	compare(t, &s, nil)
}

func TestSmallCheck(t *testing.T) {
	const size = 10 * chunk.Align
	for name, c := range map[string]struct {
		sabotage func(s *Small, all []raw.Addr)
		want     string
	}{
		"bit set":     {func(s *Small, all []raw.Addr) { s.bitmap |= 1 << 20 }, "bit of the"},
		"bit cleared": {func(s *Small, all []raw.Addr) { s.bitmap = 0 }, "bit of the"},
		"count":       {func(s *Small, all []raw.Addr) { s.count++ }, "counted were 4"},
		"too few":     {func(s *Small, all []raw.Addr) { s.count-- }, "more than the 2 chunks"},
		"bytes":       {func(s *Small, all []raw.Addr) { s.bytes-- }, "hold 3 chunks of"},
		"link back":   {func(s *Small, all []raw.Addr) { setPrev(all[1], all[0]) }, "links back"},
		"loop":        {func(s *Small, all []raw.Addr) { setNext(all[0], all[2]) }, "a loop?"},
		"first links": {func(s *Small, all []raw.Addr) { setPrev(all[2], all[1]) }, "links back"},
	} {
		var s Small
		all := blocks(t, 3)
		for _, b := range all {
			s.Insert(b, size)
		}
		c.sabotage(&s, all)
		if err := s.Check(anyBlock); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Check = %v, want %s", name, err, c.want)
		}
	}
}
