package tree

import (
	"fmt"
	"strings"
)

// Kind says how a [Tree] is organised. The zero value is RB. As text, in JSON
// and in flags it is "rb", "avl" or "trie".
type Kind int

const (
	// RB is a red-black tree: logarithmic at worst whatever the sizes are.
	RB Kind = iota

	// AVL is a height-balanced tree: a little flatter than RB, with a little
	// more work to stay so.
	AVL

	// Trie is a digital tree over the bits of the size, under a bitmap of size
	// classes. Its depth is bounded by the bits of a word, and with nothing to
	// rebalance it is the quickest to change.
	Trie
)

var kindNames = [...]string{RB: "rb", AVL: "avl", Trie: "trie"}

// Kinds returns all kinds, in the order of their values.
func Kinds() []Kind { return []Kind{RB, AVL, Trie} }

// String returns the kind's text, or "Kind(7)" for a value that is no kind.
func (k Kind) String() string {
	if !k.valid() {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// MarshalText implements [encoding.TextMarshaler]. It fails for a value that is
// no kind.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.valid() {
		return nil, unknownKind(k.String())
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Text that names no kind
// is refused with an error that lists the valid ones, and k stays as it was.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if string(text) == name {
			*k = Kind(i)
			return nil
		}
	}
	return unknownKind(string(text))
}

func (k Kind) valid() bool { return k >= 0 && int(k) < len(kindNames) }

func unknownKind(got string) error {
	return fmt.Errorf("unknown tree kind %q: valid kinds are %s", got, strings.Join(kindNames[:], ", "))
}
