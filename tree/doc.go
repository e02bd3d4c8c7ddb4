// Package tree keeps large free chunks by size and answers one question: which
// is the smallest chunk of at least this many bytes?
//
// It serves memctx. Of its surface only [Kind], which users choose in their
// options, is a promise; the rest may change with the heap's needs.
//
// # Terms
//
// A node is a free chunk seen from here: an address with [NodeSize] writable
// bytes, and a size, its key. A tree is intrusive: the words that link a node
// are written into the free chunk itself, so keeping a chunk costs no memory,
// and taking it out gives every byte back. The roots live in the [Tree], in Go
// memory; nothing off-heap ever points there, because a Tree may sit in a stack
// and stacks move.
//
// # Layout of a node
//
//	word  0     1      2      3       4      5     6
//	     +-----+------+------+-------+------+-----+-----+
//	     |size | left | right| parent| state| next| prev|
//	     +-----+------+------+-------+------+-----+-----+
//
// What a search reads comes first, so that a step down usually touches one cache
// line. State is a colour (red-black), a balance (AVL) or unused (trie). A link
// is an address, and 0 means none.
//
// # Rings
//
// Only one node of each size hangs in the tree. The others of that size form a
// ring with it through next and prev (a node alone is a ring with itself) and
// are marked by a parent word no node can have. Chunks of equal sizes are common
// in a heap, and so most insertions of them and most removals touch neither the
// shape of the tree nor more than three nodes.
//
// A search hands out a member of the ring in preference to the node in the tree,
// and the member that came last in preference to the others: its memory is the
// most likely to be in the cache.
//
// # Three kinds
//
// [RB] is the red-black tree of Guibas and Sedgewick with parent links, [AVL]
// the height-balanced tree of Adelson-Velsky and Landis with balance factors,
// and [Trie] the bitwise digital tree of Doug Lea's malloc 2.8 ("treebins").
// They answer alike; each is written out concretely over the same node, because
// a step down is two or three instructions and any indirection in it would be
// a third of the search. A Tree chooses among them once per operation.
//
// # Cost
//
// Taking the best fit of a random size and inserting it under another, in
// nanoseconds, by the number of chunks (BenchmarkTakeInsert, minimum of 20 short
// runs; two cores of a Xeon, Go 1.26):
//
//	        16   256   16 Ki   256 Ki
//	RB      91   128     238      546
//	AVL     92   135     237      574
//	Trie    50    91     169      469
//
// The trie wins by having nothing to rebalance. A search alone is quicker in the
// other two (BenchmarkBestFit), whose loop reads fewer nodes.
//
// # What holds
//
// The governing invariant: every node inserted and not removed is reachable from
// exactly one root, by its size alone. In detail, as [Tree.Check] numbers it:
//
//	T1  order      left < node < right by size, strictly (RB, AVL)
//	T2  parents    a child's parent word names the node it hangs from; a root's is 0
//	T3  rings      next and prev agree, sizes are equal, and exactly one member,
//	               the one in the tree, is not marked as a ring member
//	T4  red-black  the root is black, a red node has no red child, and every path
//	               down from a node meets the same number of black ones
//	T5  AVL        the heights of two siblings differ by at most one, as the
//	               balance says
//	T6  trie       a node's size falls in its bin, and its bits below those the bin
//	               fixes spell the path down to it
//	T7  bitmap     a bin's bit is set if and only if the bin has a root
//	T8  totals     count and bytes are those of the nodes reached, and none is
//	               larger than the bound
//	T9  addresses  every link is aligned to a word
//
// # How a chunk moves through
//
// Free coalesces a chunk and calls [Tree.Insert], which writes all its words.
// Alloc calls [Tree.TakeBestFit] and owns the chunk again; a neighbour that
// coalesces with it calls [Tree.Remove] first, which finds the way out by links,
// without a search. In between nobody else may write to the words.
package tree
