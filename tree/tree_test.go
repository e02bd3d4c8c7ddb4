package tree

import (
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

func eachKind(t *testing.T, test func(t *testing.T, kind Kind)) {
	for _, kind := range Kinds() {
		t.Run(kind.String(), func(t *testing.T) { test(t, kind) })
	}
}

func TestZeroValueIsEmptyRedBlack(t *testing.T) {
	var tree Tree
	if tree.Kind() != RB || tree.Count() != 0 || tree.BestFit(1) != 0 {
		t.Fatalf("kind %v, count %d, best fit %#x", tree.Kind(), tree.Count(), tree.BestFit(1))
	}
	n := nodes(t, 1)[0]
	tree.Insert(n, 1024)
	if got := tree.TakeBestFit(1000); got != n {
		t.Errorf("TakeBestFit = %#x, want %#x", got, n)
	}
}

func TestEmpty(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var tree Tree
		tree.Init(kind)
		for _, size := range []uintptr{0, 1, 1024, ^uintptr(0)} {
			if b, taken := tree.BestFit(size), tree.TakeBestFit(size); b != 0 || taken != 0 {
				t.Errorf("BestFit(%d) = %#x, TakeBestFit = %#x, want none", size, b, taken)
			}
		}
		if tree.Max() != 0 || tree.Count() != 0 || tree.Bytes() != 0 {
			t.Errorf("Max %#x, Count %d, Bytes %d", tree.Max(), tree.Count(), tree.Bytes())
		}
		for n := range tree.All() {
			t.Errorf("All yields %#x", n)
		}
		if err := tree.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestLimitsOfSize stores each size alone and asks for it and its neighbours.
func TestLimitsOfSize(t *testing.T) {
	const most = ^uintptr(0)
	sizes := []uintptr{1, 2, 511, 512, 513, 1023, 1024, 1536, 2048, most>>1 - 1, most >> 1, most>>1 + 1, most - 15, most - 1, most}
	eachKind(t, func(t *testing.T, kind Kind) {
		n := nodes(t, 1)[0]
		for _, size := range sizes {
			var tree Tree
			tree.Init(kind)
			tree.Insert(n, size)
			if err := tree.Check(); err != nil {
				t.Error(err)
			}
			for _, fits := range []uintptr{0, 1, size - 1, size} {
				if got := tree.BestFit(fits); got != n {
					t.Errorf("with one node of %d, BestFit(%d) = %#x, want %#x", size, fits, got, n)
				}
			}
			if got := tree.BestFit(size + 1); size != most && got != 0 {
				t.Errorf("with one node of %d, BestFit(%d) = %#x, want none", size, size+1, got)
			}
		}
	})
}

// TestLastComesFirst: among equal sizes the last one in is the first one out, and
// the one that hangs in the tree goes last.
func TestLastComesFirst(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var tree Tree
		tree.Init(kind)
		all := nodes(t, 5)
		for _, n := range all {
			tree.Insert(n, 4096)
		}
		for _, want := range []int{4, 3, 2, 1, 0} {
			if peek, got := tree.BestFit(1024), tree.TakeBestFit(1024); got != all[want] || peek != got {
				t.Errorf("BestFit %#x, TakeBestFit %#x, want %#x (node %d)", peek, got, all[want], want)
			}
		}
	})
}

func TestInitAndClearForget(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var tree Tree
		for _, forget := range []func(){func() { tree.Init(kind) }, tree.Clear} {
			for i, n := range nodes(t, 9) {
				tree.Insert(n, 1024*uintptr(1+i))
			}
			forget()
			if tree.Count() != 0 || tree.Bytes() != 0 || tree.Max() != 0 || tree.BestFit(1) != 0 {
				t.Errorf("Count %d, Bytes %d, Max %#x, BestFit %#x", tree.Count(), tree.Bytes(), tree.Max(), tree.BestFit(1))
			}
			if err := tree.Check(); err != nil {
				t.Error(err)
			}
		}
		if tree.Kind() != kind {
			t.Errorf("Clear changed the kind to %v", tree.Kind())
		}
	})
}

func TestAllStopsWhenAsked(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var tree Tree
		tree.Init(kind)
		for i, n := range nodes(t, 12) {
			tree.Insert(n, 1024*uintptr(1+i/3))
		}
		for stop := 1; stop <= 12; stop++ {
			seen := map[raw.Addr]bool{}
			for n := range tree.All() {
				seen[n] = true
				if len(seen) == stop {
					break
				}
			}
			if len(seen) != stop {
				t.Errorf("saw %d nodes before a break at %d", len(seen), stop)
			}
		}
	})
}

// TestNodeSizeIsKept surrounds nodes with words that must not change.
func TestNodeSizeIsKept(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		const canary = 0xA5
		var tree Tree
		tree.Init(kind)
		all := nodes(t, 64)
		for _, n := range all {
			raw.Fill(n+NodeSize, spacing-NodeSize, canary)
		}
		for i, n := range all {
			tree.Insert(n, 1024*uintptr(1+i*7%31))
		}
		for tree.TakeBestFit(5000) != 0 {
			tree.Remove(tree.Max())
		}
		for _, n := range all {
			for i, b := range raw.Bytes(n+NodeSize, spacing-NodeSize) {
				if b != canary {
					t.Fatalf("byte %d after the node at %#x is %#x", i, n, b)
				}
			}
		}
	})
}

func TestOperationsDoNotAllocate(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var tree Tree
		tree.Init(kind)
		all := nodes(t, 100)
		for i, n := range all {
			tree.Insert(n, 1024*uintptr(1+i*7%31))
		}
		allocs := testing.AllocsPerRun(100, func() {
			tree.Insert(tree.TakeBestFit(7000), 9000)
			tree.Remove(all[50])
			tree.Insert(all[50], Size(tree.Max()))
			tree.Insert(tree.TakeBestFit(Size(tree.BestFit(100))), 1024)
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}
