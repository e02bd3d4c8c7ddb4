#!/bin/sh
# Runs every fuzz target of the module, one after another.
#
#   scripts/fuzz.sh [fuzztime]               default: 30s each
#
# What a target finds is written to its package's testdata and is then part of
# every test run; commit it with the fix. Inputs that reach something new are
# minimised briefly only: left to itself, go test spends most of the time on that.
set -eu
cd "$(dirname "$0")/.."

fuzztime=${1:-30s}
status=0
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target, $fuzztime"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 10x "$package" || status=1
	done
done
exit $status
