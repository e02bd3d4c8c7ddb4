#!/bin/sh
# Runs the tests as programs of each platform that this machine can play, one
# platform after another, and ends with a line for each.
#
#   scripts/platforms.sh [platform...]       default: those below
#
#   linux/386       natively                 needs an amd64 machine
#   linux/arm64     under qemu's user mode   needs qemu-user
#   linux/s390x     likewise; big-endian     needs qemu-user
#   windows/amd64   under Wine               needs wine64, gcc-mingw-w64-x86-64
#
# What is missing of the packages is installed with apt-get, on Debian and its
# kin, as root or through sudo. All commands are built for each platform; the
# tests are those of the library and of the examples. Under qemu they run with
# COOKMEM_SLOW, see docs/CHECKS.md.
#
# What the tests print is kept in a new folder if a platform fails, and shown as
# it comes with COOKMEM_VERBOSE=1.
set -eu
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- linux/386 linux/arm64 linux/s390x windows/amd64
packages='./internal/raw ./internal/chunk ./internal/segtest ./bins ./tree ./diag ./segment ./memctx ./offheap ./memtest ./stream ./examples/...'
logs=$(mktemp -d)

# run tests one platform with the packages.
run() {
	platform=$1
	# shellcheck disable=SC2086
	case $platform in
	linux/386) GOOS=linux GOARCH=386 CGO_ENABLED=0 go test -count=1 $packages ;;
	linux/*) TESTFLAGS=${TESTFLAGS:--test.timeout=30m} scripts/qemu-test.sh "${platform#*/}" $packages ;;
	windows/amd64) TESTFLAGS=${TESTFLAGS:--test.timeout=30m} scripts/wine-test.sh $packages ;;
	*) echo "$platform: this script cannot run its programs"; return 2 ;;
	esac
}

# means tells how a platform's programs are run.
means() {
	case $1 in
	linux/386) echo natively ;;
	linux/*) echo "under qemu" ;;
	windows/*) echo "under Wine" ;;
	esac
}

# built builds all packages for a platform, the commands included.
built() { GOOS=${1%/*} GOARCH=${1#*/} CGO_ENABLED=0 go build ./...; }

status=0
summary=
for platform in "$@"; do
	log=$logs/$(echo "$platform" | tr / -)
	echo "== $platform"
	start=$(date +%s)
	if { built "$platform" && run "$platform"; } >"$log" 2>&1; then word=ok; else word=FAIL status=1; fi
	[ -n "${COOKMEM_VERBOSE:-}" ] && cat "$log"
	line=$(printf '%-4s %-14s %-10s %2d packages passed, %d s' "$word" "$platform" "$(means "$platform")" \
		"$(grep -c -e '^PASS$' -e '^ok ' "$log" || true)" $(($(date +%s) - start)))
	if [ "$word" = FAIL ]; then
		# Of a verbose log, what failed and why.
		grep -v -e '^=== ' -e '^ *--- PASS' -e '^--- PASS' -e '^PASS$' -e '^ok ' "$log" | tail -n 40
		line="$line; see $log"
	fi
	echo "$line"
	summary="$summary$line
"
done

echo
printf '%s' "$summary"
[ "$status" != 0 ] || rm -rf "$logs"
exit $status
