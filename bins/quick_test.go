package bins

import (
	"errors"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// filled returns lists of which one holds the given blocks, all of them cached.
func filled(class uint8, all []raw.Addr) *Lists {
	var ls Lists
	for _, b := range all {
		ls.Of(class).Push(b)
		ls.Of(class).Held++
	}
	return &ls
}

func TestListIsAStack(t *testing.T) {
	all := blocks(t, 10)
	ls := filled(5, all)
	l := ls.Of(5)
	for i := len(all) - 1; i >= 0; i-- {
		if err := ls.Check(anyBlock); err != nil {
			t.Fatal(err)
		}
		if got := l.Pop(); got != all[i] {
			t.Fatalf("Pop = %#x, want %#x", got, all[i])
		}
		l.Allocs++
	}
	if l.Head != 0 || l.Cached() != 0 || l.Live() != 10 {
		t.Errorf("%+v", *l)
	}
}

func TestListTotals(t *testing.T) {
	ls := filled(5, blocks(t, 10))
	ls.Of(7).Held, ls.Of(7).Allocs = 3, 3
	if got := ls.CachedBytes(); got != 10*SizeOf(5) {
		t.Errorf("CachedBytes = %d", got)
	}
	if got := ls.LiveBytes(); got != 3*SizeOf(7) {
		t.Errorf("LiveBytes = %d", got)
	}
	ls.Forget()
	if ls.CachedBytes() != 0 || ls.LiveBytes() != 0 || ls.Of(7).Frees != 3 || ls.Of(5).Head != 0 {
		t.Errorf("after Forget: %+v %+v", ls.Of(5), ls.Of(7))
	}
}

// TestListSurplus looks at what lists are left with.
func TestListSurplus(t *testing.T) {
	for _, c := range []struct {
		live, held, beyondEqual, beyondHalf uint
	}{
		{0, 5, 5, 5},            // done with
		{1, 3, 1, 2},            // half of one is none
		{16, 16, 0, 0},          // all live
		{16, 40, 8, 20},         // a quarter of few
		{128, 256, 0, 96},       // where it begins to be more
		{1000, 1500, 0, 32},     // nearly half of many
		{1000, 2500, 500, 1032}, // as before, and more
		{^uint(0) / 2, ^uint(0)/2 + 9, 0, 0},
	} {
		var ls Lists
		l := ls.Of(5)
		l.Allocs, l.Held = c.live, c.held
		if got := l.Surplus(Equal); got != c.beyondEqual {
			t.Errorf("%d held, %d live: %d beyond as many", c.held, c.live, got)
		}
		if got := l.Surplus(Half); got != c.beyondHalf {
			t.Errorf("%d held, %d live: %d beyond half", c.held, c.live, got)
		}
		if got := ls.SurplusBytes(Half); got != uintptr(c.beyondHalf)*SizeOf(5) {
			t.Errorf("%d held, %d live: %d bytes beyond half", c.held, c.live, got)
		}
	}
}

// TestListCountsWrap lets the counts run over, as they do on 32-bit systems.
func TestListCountsWrap(t *testing.T) {
	l := List{Allocs: 2, Frees: ^uint(0) - 2, Held: 7}
	if l.Live() != 5 || l.Cached() != 2 {
		t.Errorf("Live, Cached = %d, %d", l.Live(), l.Cached())
	}
}

func TestListsCheck(t *testing.T) {
	refusal := errors.New("no such block")
	for name, c := range map[string]struct {
		sabotage func(ls *Lists, all []raw.Addr)
		want     string
	}{
		"lost":     {func(ls *Lists, all []raw.Addr) { ls.Of(5).Head = 0 }, "has 0 chunks, counted were 4"},
		"cut":      {func(ls *Lists, all []raw.Addr) { raw.Store(all[2], 0) }, "has 2 chunks, counted were 4"},
		"too many": {func(ls *Lists, all []raw.Addr) { ls.Of(5).Held-- }, "longer than the 3 chunks"},
		"loop":     {func(ls *Lists, all []raw.Addr) { raw.Store(all[0], uintptr(all[3])) }, "a loop?"},
		"wild":     {func(ls *Lists, all []raw.Addr) { raw.Store(all[2], 4096) }, "no such block"},
	} {
		all := blocks(t, 4)
		ls := filled(5, all)
		c.sabotage(ls, all)
		err := ls.Check(func(b raw.Addr, size uintptr) error {
			if size != SizeOf(5) || b < all[0] || b > all[3] {
				return refusal
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Check = %v, want %s", name, err, c.want)
		}
	}
}
