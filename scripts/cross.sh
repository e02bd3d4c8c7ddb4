#!/bin/sh
# Builds and vets all packages, tests included, for systems other than this one.
#
#   scripts/cross.sh [goos/goarch...]        default: the list below
#
# The list has each way to get memory (mmap with and without mremap,
# VirtualAlloc, the Go heap), both word sizes and both byte orders.
set -eu
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- linux/386 linux/arm64 linux/s390x windows/amd64 windows/386 darwin/arm64 freebsd/amd64 js/wasm

status=0
for system in "$@"; do
	GOOS=${system%/*} GOARCH=${system#*/} CGO_ENABLED=0
	export GOOS GOARCH CGO_ENABLED
	# Vet type-checks the tests too, which build leaves out.
	if go build ./... && go vet ./...; then
		echo "ok   $system"
	else
		echo "FAIL $system"
		status=1
	fi
done
exit $status
