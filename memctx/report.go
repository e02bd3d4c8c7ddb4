package memctx

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTree writes a table to w: mc and all contexts below it, indented under
// their parents, with their footprints, limits, and the bytes and blocks in use,
// and the sum of the footprints if there is more than one. Memory of a child that
// is blocks of another context counts in both. It belongs to the owner of the tree
// and returns the errors of w.
func (mc *Context) WriteTree(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "context\tfootprint\tlimit\tin use\tblocks")
	total, count := 0, 0
	mc.writeRows(table, 0, &total, &count)
	if count > 1 {
		fmt.Fprintf(table, "%d contexts\t%v\t\t\t\n", count, Size(total))
	}
	return table.Flush()
}

func (mc *Context) writeRows(w io.Writer, depth int, total, count *int) {
	name := mc.Name()
	if name == "" {
		name = "(unnamed)"
	}
	s := mc.Stats()
	fmt.Fprintf(w, "%s%s\t%v\t%v\t%v\t%d\n", strings.Repeat("  ", depth), name,
		Size(s.Footprint), Size(mc.Limit()), Size(s.InUse), s.Blocks)
	*total += s.Footprint
	*count++
	for c := range mc.Children() {
		c.writeRows(w, depth+1, total, count)
	}
}
