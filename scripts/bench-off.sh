#!/bin/sh
# What do diagnostics cost a context that has none?
#
#   scripts/bench-off.sh [rounds]            default: 50
#
# Builds the benchmarks twice: as they are, and with the mode bits of observers
# and checks as zero, whereby the compiler drops every test of them. Runs the two
# in turns and prints, for each pair of calls, the fastest time of either and
# their ratio. That of "without" against itself, from every other of its rounds,
# tells how far ratios can be trusted.
#
# What does not depend on the machine's mood comes first: whether the two have the
# same instructions in Alloc and Free, the calls of the slow ways among them.
set -eu
cd "$(dirname "$0")/.."

rounds=${1:-50}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

printf 'package memctx\n\nconst observed, checked, watching mode = 0, 0, 0\n' >"$dir/mode_watch.go"
printf '{"Replace": {"%s": "%s"}}\n' "$PWD/memctx/mode_watch.go" "$dir/mode_watch.go" >"$dir/overlay.json"
go test -c -o "$dir/with" ./memctx
go test -c -o "$dir/without" -overlay "$dir/overlay.json" ./memctx

code() { # the instructions of a function, without their addresses
	go tool objdump -s "memctx\.\(\*Context\)\.$2\$" "$dir/$1" | awk 'NF > 3 { print $4 }'
}
for function in Alloc Free; do
	code with $function >"$dir/a"
	code without $function >"$dir/b"
	[ -s "$dir/a" ] && cmp -s "$dir/a" "$dir/b" && verdict="the same" || verdict="NOT THE SAME"
	echo "$function: $(wc -l <"$dir/a") instructions with the tests of diagnostics, $(wc -l <"$dir/b") without, $verdict"
done
[ ! -t 1 ] || echo "timing, $rounds rounds of a second or two" >&2

i=0
while [ "$i" -lt "$rounds" ]; do
	i=$((i + 1))
	# In turns also within a round: who runs first gets the machine as it is.
	if [ $((i % 2)) = 0 ]; then order="with without"; else order="without with"; fi
	for which in $order; do
		"$dir/$which" -test.run '^$' -test.bench '^BenchmarkOff$' -test.benchtime 20ms |
			sed -n "s/^BenchmarkOff/$which $((i % 2)) /p"
	done
done | awk '
{
	name = $3
	sub(/^\//, "", name)
	sub(/-[0-9]+$/, "", name)
	if (!(name in seen)) { seen[name] = 1; names[++count] = name }
	keep($1, name, $5)
	keep($1 $2, name, $5)
}
function keep(which, name, ns) {
	if (!((which, name) in best) || ns + 0 < best[which, name] + 0) best[which, name] = ns
}
END {
	if (!count) { print "nothing was measured"; exit 1 }
	printf "%-10s %12s %12s %8s %20s\n", "calls", "without, ns", "with, ns", "ratio", "without to itself"
	for (i = 1; i <= count; i++) {
		n = names[i]
		printf "%-10s %12.2f %12.2f %8.3f %20.3f\n", n, best["without", n], best["with", n],
			best["with", n] / best["without", n], best["without0", n] / best["without1", n]
	}
}'
