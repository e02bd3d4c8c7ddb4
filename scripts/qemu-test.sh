#!/bin/sh
# Runs the tests of packages as linux programs of another processor, under
# qemu's user mode.
#
#   scripts/qemu-test.sh s390x [package...]     default: the heap's own packages
#   TESTFLAGS='-test.v -test.run=Model' scripts/qemu-test.sh arm64 ./memctx
#
# s390x is the one to run after a change of what lies in memory: it is
# big-endian. What is missing is installed with apt-get, on Debian and its kin,
# as root or through sudo.
#
# COOKMEM_QEMU is set for tests that must know: what they start would not run
# under the emulator. COOKMEM_SLOW shortens some of the others; with COOKMEM_SLOW=
# in the environment they run in full.
set -eu

[ $# -gt 0 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
GOOS=linux
GOARCH=$1
CGO_ENABLED=0
COOKMEM_QEMU=1
COOKMEM_SLOW=${COOKMEM_SLOW-1} # the emulator is some twenty times slower
COOKMEM_SOAK_OPS=${COOKMEM_SOAK_OPS:-10000}
export GOOS GOARCH CGO_ENABLED COOKMEM_QEMU COOKMEM_SLOW COOKMEM_SOAK_OPS
shift

case $GOARCH in
amd64) machine=x86_64 ;;
386) machine=i386 ;;
arm64) machine=aarch64 ;;
mipsle) machine=mipsel ;;
mips64le) machine=mips64el ;;
loong64) machine=loongarch64 ;;
*) machine=$GOARCH ;; # arm, mips, mips64, ppc64, ppc64le, riscv64, s390x
esac
qemu=qemu-$machine

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

if ! command -v "$qemu" >/dev/null; then
	as_root apt-get update -qq || echo "$0: going on with the lists of packages that are here" >&2
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends qemu-user
	command -v "$qemu" >/dev/null || { echo "$0: qemu-user has no $qemu" >&2; exit 1; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ $# -gt 0 ] || set -- ./internal/chunk ./internal/raw ./bins ./tree ./segment ./memctx
status=0
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' "$@"); do
	go test -c -o "$work/test" "$package"
	dir=$(go list -f '{{.Dir}}' "$package")
	echo "== $package ($GOOS/$GOARCH under qemu)"
	# shellcheck disable=SC2086
	(cd "$dir" && "$qemu" "$work/test" ${TESTFLAGS:-}) || status=1
done
exit $status
