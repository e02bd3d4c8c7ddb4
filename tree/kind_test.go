package tree

import (
	"encoding/json"
	"flag"
	"io"
	"strings"
	"testing"
)

func TestKindText(t *testing.T) {
	for kind, text := range map[Kind]string{RB: "rb", AVL: "avl", Trie: "trie"} {
		if got := kind.String(); got != text {
			t.Errorf("%d.String() = %q, want %q", int(kind), got, text)
		}
		if got, err := kind.MarshalText(); err != nil || string(got) != text {
			t.Errorf("%d.MarshalText() = %q, %v, want %q", int(kind), got, err, text)
		}
		got := Kind(-1)
		if err := got.UnmarshalText([]byte(text)); err != nil || got != kind {
			t.Errorf("UnmarshalText(%q): %d, %v, want %d", text, int(got), err, int(kind))
		}
	}
}

func TestKindRefusesText(t *testing.T) {
	for _, text := range []string{"", "RB", "rb ", "red-black", "Kind(0)", "0"} {
		kind := AVL
		err := kind.UnmarshalText([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "rb, avl, trie") {
			t.Errorf("UnmarshalText(%q): error %v does not name the valid kinds", text, err)
		}
		if kind != AVL {
			t.Errorf("UnmarshalText(%q) failed, but changed the kind to %v", text, kind)
		}
	}
}

func TestKindOutOfRange(t *testing.T) {
	for kind, text := range map[Kind]string{-1: "Kind(-1)", 3: "Kind(3)"} {
		if got := kind.String(); got != text {
			t.Errorf("String() = %q, want %q", got, text)
		}
		if got, err := kind.MarshalText(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s.MarshalText() = %q, %v, want an error that names it", text, got, err)
		}
		if !panics(func() { new(Tree).Init(kind) }) {
			t.Errorf("Init(%s) did not panic", text)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func TestKindsAreAll(t *testing.T) {
	kinds := Kinds()
	if len(kinds) != len(kindNames) {
		t.Fatalf("Kinds() = %v, but there are %d names", kinds, len(kindNames))
	}
	for i, kind := range kinds {
		var tree Tree
		tree.Init(kind)
		if int(kind) != i || tree.Kind() != kind {
			t.Errorf("kind %d of Kinds() is %v, and a tree of it says %v", i, kind, tree.Kind())
		}
	}
}

func TestKindInJSONAndFlags(t *testing.T) {
	var options struct{ Tree Kind }
	if err := json.Unmarshal([]byte(`{"Tree":"avl"}`), &options); err != nil || options.Tree != AVL {
		t.Errorf("from JSON: %v, %v", options.Tree, err)
	}
	if text, err := json.Marshal(options); err != nil || string(text) != `{"Tree":"avl"}` {
		t.Errorf("to JSON: %s, %v", text, err)
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.TextVar(&options.Tree, "tree", RB, "")
	if err := flags.Parse([]string{"-tree=trie"}); err != nil || options.Tree != Trie {
		t.Errorf("from a flag: %v, %v", options.Tree, err)
	}
}
