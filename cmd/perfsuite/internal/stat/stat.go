// Package stat condenses measurements: the runs of a turn to one number, the
// turns of a subject to one, the tests of a suite to one.
package stat

import (
	"math"
	"slices"
)

// Steady returns what a warm run takes: of all runs but the first, the best and
// the worst are dropped if there are three or more, and the mean of the rest is
// taken. A single run stands for itself. There must be one.
func Steady(runs []float64) float64 {
	warm := slices.Clone(runs[1:])
	if len(warm) == 0 {
		return runs[0]
	}
	slices.Sort(warm)
	if len(warm) >= 3 {
		warm = warm[1 : len(warm)-1]
	}
	return mean(warm)
}

// Median returns the middle value, or the mean of the middle two. There must be
// a value.
func Median(values []float64) float64 {
	v := slices.Clone(values)
	slices.Sort(v)
	return mean(v[(len(v)-1)/2 : len(v)/2+1])
}

// GeoMean returns the geometric mean, or 0 of no values. They must be positive.
func GeoMean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
