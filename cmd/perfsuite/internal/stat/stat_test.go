package stat

import (
	"math"
	"testing"
)

func TestSteady(t *testing.T) {
	for _, c := range []struct {
		runs []float64
		want float64
	}{
		{[]float64{7}, 7},
		{[]float64{7, 1}, 1},
		{[]float64{7, 1, 3}, 2},
		{[]float64{7, 1, 3, 50}, 3},
		{[]float64{100, 9, 1, 4, 2, 3}, 3},
	} {
		if got := Steady(c.runs); got != c.want {
			t.Errorf("Steady(%v) = %v, want %v", c.runs, got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{5}, 5},
		{[]float64{5, 1}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 6}, 5.5},
	} {
		if got := Median(c.values); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

// TestInputStays makes sure that sorting happens in a copy: the first run is
// told by its place.
func TestInputStays(t *testing.T) {
	runs := []float64{5, 4, 3, 2}
	Steady(runs)
	Median(runs)
	for i, want := range []float64{5, 4, 3, 2} {
		if runs[i] != want {
			t.Fatalf("the runs are now %v", runs)
		}
	}
}

func TestGeoMean(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{2, 8}, 4}, {[]float64{0.5, 2}, 1}} {
		if got := GeoMean(c.values); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("GeoMean(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}
