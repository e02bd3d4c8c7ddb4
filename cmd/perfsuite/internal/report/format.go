package report

import (
	"encoding/json"
	"io"
)

// Format writes a report.
type Format struct {
	Name  string
	Write func(io.Writer, *Report) error
}

var formats = []Format{
	{"table", writeTable},
	{"json", writeJSON},
	{"csv", writeCSV},
	{"bench", writeBench},
	{"svg", writeSVG},
	{"html", writeHTML},
}

// Formats returns the formats; the first is the default.
func Formats() []Format { return formats }

// FindFormat returns the format of a name, and whether there is one.
func FindFormat(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

func writeJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
