// Package compare tells a change from noise: it holds two reports against each
// other, test by test and subject by subject.
//
// # Terms
//
// A [Side] is what was measured before a change, or after it: one report or
// several, whose turns are pooled. A [Row] is one test on one subject: the
// median over the turns of either side, with its confidence interval, and the
// probability p that turns so different come from the same heap. A [Table] has
// the rows of one measure and the geometric mean of each subject.
//
// # The statistics
//
// They are benchstat's, from golang.org/x/perf/benchmath: medians with an
// interval from order statistics, and the Mann-Whitney U test. Both assume
// nothing about how times are distributed, and both need some turns: below four
// on each side no difference can pass the usual threshold of 0.05, and an
// interval needs six.
//
// # The governing rule
//
// A row gives a verdict only where the same was done on both sides: the counts
// of requests are equal and neither side failed. And a verdict is better or
// worse only where p is below the threshold; all else is noise, however large
// the difference looks.
//
// What the test cannot see is a machine that was slower on one of the two days.
// It takes turns of a side for independent, and they are not if a neighbour was
// busy during all of them. Hence the pooling: measure old and new in turns, and
// give the files of each side together.
package compare
