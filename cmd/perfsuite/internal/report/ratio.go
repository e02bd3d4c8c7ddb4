package report

import "github.com/cookmem-go/cookmem/cmd/perfsuite/internal/stat"

// ratios relates the warm times of results to those of the base on the same
// test.
type ratios struct {
	base map[string]float64 // by test
}

func newRatios(r *Report) ratios {
	base := map[string]float64{}
	for i := range r.Results {
		if one := &r.Results[i]; one.Subject == r.Header.Base && one.Measured() {
			base[one.Test] = one.Seconds
		}
	}
	return ratios{base}
}

// of returns a result's time as a multiple of the base's, if there are both.
func (s ratios) of(r *Result) (float64, bool) {
	base := s.base[r.Test]
	if base <= 0 || !r.Measured() || r.Seconds <= 0 {
		return 0, false
	}
	return r.Seconds / base, true
}

// mean returns the geometric mean of a subject's ratios and their number.
func (s ratios) mean(r *Report, subject string) (float64, int) {
	var all []float64
	for i := range r.Results {
		one := &r.Results[i]
		if one.Subject != subject {
			continue
		}
		if v, ok := s.of(one); ok {
			all = append(all, v)
		}
	}
	return stat.GeoMean(all), len(all)
}
