//go:build !(armbe || arm64be || mips || mips64 || ppc || ppc64 || s390 || s390x || sparc64)

package raw

// BigEndian is 1 where the first byte of a word is its highest, else 0.
const BigEndian = 0
