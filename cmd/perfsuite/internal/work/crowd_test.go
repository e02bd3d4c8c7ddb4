package work

import "testing"

func TestNewCrowd(t *testing.T) {
	for _, want := range []Crowd{
		{1, 1_000_000, 10},
		{1_000, 1_000, 10_000},
		{600_000, 1, 10_000_000},
		{10_000_000, 1, 10_000_000},
		{30_000_000, 1, 30_000_000},
		{200_000_000, 1, 100_000_000},
	} {
		if got := NewCrowd(want.Live); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
