package report

// Measure is one of the numbers that a turn gives. Less is better in all.
type Measure struct {
	Name string // as in the JSON
	Head string // over a column
	Text string // what it is, in a line

	// Of returns the number in seconds or bytes, and whether it is known.
	Of func(*Turn) (v float64, known bool)

	// Format writes a number with its unit, or in seconds without one.
	Format func(float64) string
}

var measures = []Measure{
	{"seconds", "steady, s", "seconds of a warm run", func(t *Turn) (float64, bool) { return t.Seconds, true }, seconds},
	{"first", "first, s", "seconds of a turn's first run", func(t *Turn) (float64, bool) { return t.First, true }, seconds},
	{"peak_first_rss", "resident, first run", "bytes by which the resident set grew in the first run", func(t *Turn) (float64, bool) { return known(t.PeakFirstRSS) }, byteSize},
	{"peak_rss", "resident", "bytes by which the resident set grew in all runs", func(t *Turn) (float64, bool) { return known(t.PeakRSS) }, byteSize},
	{"peak_footprint", "footprint", "bytes that the subject obtained", func(t *Turn) (float64, bool) { return known(t.PeakFootprint) }, byteSize},
	{"drop_seconds", "drop, s", "seconds to drop everything at once", func(t *Turn) (float64, bool) { return known(t.DropSeconds) }, seconds},
}

// Measures returns what there is to compare; the first is what counts most.
func Measures() []Measure { return measures }

// FindMeasure returns the measure of a name, and whether there is one.
func FindMeasure(name string) (Measure, bool) {
	for _, m := range measures {
		if m.Name == name {
			return m, true
		}
	}
	return Measure{}, false
}

// Medians returns the numbers of a result in the form of a turn.
func (r *Result) Medians() Turn {
	return Turn{
		First:         r.First,
		Seconds:       r.Seconds,
		PeakFootprint: r.PeakFootprint,
		PeakFirstRSS:  r.PeakFirstRSS,
		PeakRSS:       r.PeakRSS,
		DropSeconds:   r.DropSeconds,
	}
}

// Values returns the measure of each turn that knows it.
func (m Measure) Values(turns []Turn) []float64 {
	var values []float64
	for i := range turns {
		if v, ok := m.Of(&turns[i]); ok {
			values = append(values, v)
		}
	}
	return values
}

func known[T int64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

func byteSize(v float64) string { return size(int64(v)) }
