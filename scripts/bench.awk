# Reads the output of `go test -bench` and prints, for each benchmark, the
# fastest run and how many empty calls it is worth. The fastest, because all
# that a busy machine does to a run is to make it slower. An empty call is the
# mean of the loops EmptyCall/1, /2, ..., which are aligned differently.

/^(goos|goarch|cpu):/ { print }

/^Benchmark/ {
	name = $1
	sub(/^Benchmark/, "", name)
	sub(/-[0-9]+$/, "", name)
	if (!(name in best)) {
		order[++count] = name
		best[name] = $3
	} else if ($3 + 0 < best[name] + 0) {
		best[name] = $3
	}
	runs[name]++
}

/^(FAIL|---|panic)/ { print; failed = 1 }

END {
	for (name in best)
		if (name ~ /^EmptyCall\//) {
			empty += best[name]
			loops++
		}
	if (failed || !loops) {
		print "no empty call was measured"
		exit 1
	}
	printf "%-14s %5s %12s %12s\n", "benchmark", "runs", "ns, fastest", "empty calls"
	for (i = 1; i <= count; i++) {
		name = order[i]
		printf "%-14s %5d %12.2f %12.2f\n", name, runs[name], best[name], best[name] / (empty / loops)
	}
}
