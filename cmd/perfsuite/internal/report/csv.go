package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"
)

// csvColumns are the columns of the CSV, named as in the JSON. The last ones
// repeat the header in every row, so that the rows of several reports can be
// put below each other.
var csvColumns = []string{
	"test", "subject", "first", "seconds", "runs", "turns",
	"allocs", "reallocs", "frees", "bytes",
	"peak_footprint", "peak_first_rss", "peak_rss", "drop_seconds", "error",
	"scale", "date", "go", "cpu", "cores", "os", "arch",
}

// writeCSV writes a row per result below a row of names. What is not known is
// empty.
func writeCSV(w io.Writer, r *Report) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvColumns); err != nil {
		return err
	}
	for i := range r.Results {
		if err := c.Write(csvRow(&r.Header, &r.Results[i])); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func csvRow(h *Header, r *Result) []string {
	first, steady := "", ""
	if r.Measured() {
		first, steady = float(r.First), float(r.Seconds)
	}
	return []string{
		r.Test, r.Subject, first, steady, strconv.Itoa(r.Runs), strconv.Itoa(len(r.Turns)),
		integer(r.Allocs), integer(r.Reallocs), integer(r.Frees), integer(r.Bytes),
		orEmpty(r.PeakFootprint, integer), orEmpty(r.PeakFirstRSS, integer), orEmpty(r.PeakRSS, integer), orEmpty(r.DropSeconds, float), r.Error,
		strconv.Itoa(h.Scale), h.Date.Format(time.RFC3339), h.Go, h.Machine.CPU, strconv.Itoa(h.Machine.Cores), h.Machine.OS, h.Machine.Arch,
	}
}

func orEmpty[T any](v *T, format func(T) string) string {
	if v == nil {
		return ""
	}
	return format(*v)
}

// float writes the shortest number that reads back the same.
func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func integer(v int64) string { return strconv.FormatInt(v, 10) }
