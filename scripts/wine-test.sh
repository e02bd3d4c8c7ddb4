#!/bin/sh
# Runs the tests of packages as windows/amd64 programs, under wine.
#
#   scripts/wine-test.sh [package...]           default: ./segment/...
#   TESTFLAGS='-test.v -test.run=Cache' scripts/wine-test.sh ./segment
#
# What is missing is installed with apt-get, on Debian and its kin, as root or
# through sudo. The wine prefix lies in $COOKMEM_WINEPREFIX or the user's cache
# directory and is made on first use.
#
# Wine before 9 has no bcryptprimitives.dll, from which Go's runtime takes its
# random seed. The stub built here serves it from advapi32.
set -eu

cd "$(dirname "$0")/.."
GOOS=windows
GOARCH=amd64
CGO_ENABLED=0
export GOOS GOARCH CGO_ENABLED
cc=x86_64-w64-mingw32-gcc

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# find_wine prints the loader. Debian keeps it out of PATH unless the package
# "wine" is installed too.
find_wine() {
	for candidate in "$(command -v wine64 || true)" /usr/lib/wine/wine64; do
		if [ -n "$candidate" ] && [ -x "$candidate" ]; then
			echo "$candidate"
			return
		fi
	done
}

if [ -z "$(find_wine)" ] || ! command -v "$cc" >/dev/null; then
	as_root apt-get update -qq
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends wine64 gcc-mingw-w64-x86-64
fi
wine=$(find_wine)
[ -n "$wine" ] || { echo "$0: wine64 is installed, but its loader was not found" >&2; exit 1; }

export WINEPREFIX="${COOKMEM_WINEPREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/cookmem/wine}"
export WINEARCH=win64 WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml="
unset DISPLAY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$WINEPREFIX/drive_c/windows/system32" ]; then
	mkdir -p "$WINEPREFIX"
	"$wine" wineboot --init
fi

system32="$WINEPREFIX/drive_c/windows/system32"
if [ ! -e "$system32/bcryptprimitives.dll" ]; then
	cat >"$work/prng.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
C
	printf 'LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng\n' >"$work/prng.def"
	"$cc" -shared -o "$work/bcryptprimitives.dll" "$work/prng.c" "$work/prng.def" -ladvapi32
	cp "$work/bcryptprimitives.dll" "$system32/"
fi

[ $# -gt 0 ] || set -- ./segment/...
status=0
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' "$@"); do
	go test -c -o "$work/test.exe" "$package"
	dir=$(go list -f '{{.Dir}}' "$package")
	echo "== $package ($GOOS/$GOARCH under wine)"
	# shellcheck disable=SC2086
	(cd "$dir" && "$wine" "$work/test.exe" ${TESTFLAGS:-}) || status=1
done
exit $status
