package report

import (
	"fmt"
	"math"
	"strconv"
)

// seconds writes a time with three significant digits and no exponent.
func seconds(v float64) string {
	if v < 1e-6 {
		return "<0.000001"
	}
	return significant(v, 3, 6)
}

// ratio writes a quotient of times with two digits after the point, or two
// significant ones where it is small.
func ratio(v float64) string {
	if v >= 0.1 {
		return significant(v, 3, 2)
	}
	return significant(v, 2, 5)
}

// significant writes v with that many significant digits, but not more than
// that many after the point. It does not round before the point.
func significant(v float64, digits, after int) string {
	places := digits - 1 - int(math.Floor(math.Log10(v)))
	return strconv.FormatFloat(v, 'f', min(max(places, 0), after), 64)
}

// size writes a number of bytes in the largest binary unit that leaves a one
// before the point.
func size(bytes int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	v := float64(bytes) / 1024
	for len(units) > 1 && v >= 1024 {
		v, units = v/1024, units[1:]
	}
	if v < 1 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", v, units[0])
}

// optional writes a size, or a dash where it is not known.
func optional(bytes *int64) string {
	if bytes == nil {
		return "-"
	}
	return size(*bytes)
}

// optionalSeconds writes a time, or a dash where it is not known.
func optionalSeconds(v *float64) string {
	if v == nil {
		return "-"
	}
	return seconds(*v)
}

// number writes a count with commas between groups of three digits.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Number is number for others: a count with commas.
func Number(n int) string { return number(int64(n)) }

// Size is size for others: bytes in the largest binary unit.
func Size(bytes int64) string { return size(bytes) }
