// Command cache fills a cache of many entries that lives outside the garbage
// collector, within a hard limit and evicting what was used least recently, and
// shows beside it what a Go map of the same entries costs the collector.
//
//	go run ./examples/cache                      # 10 million entries in 512 MiB
//	go run ./examples/cache -n 1000000 -limit 64MiB
//
// An entry is one block: its key, its value and its links to the neighbours in
// the order of use, which are addresses. The index is a Go map from keys to
// addresses, in which the collector has nothing to follow. Near the limit an entry
// costs the eviction of one or two others; the program prints what that takes, in
// comparison with a cache without limit.
package main
