// Package report holds what a suite found out and writes it in the formats of
// the command line.
//
// A [Report] is a header, which says where, when and how was measured, and one
// [Result] for each test and subject. Absolute times belong beside the machine
// they came from; comparable across machines are the ratios within one report,
// which the table gives and the JSON leaves to its reader. A format is a
// function over the report, entered in the list of format.go.
package report
