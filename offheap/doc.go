// Package offheap puts typed values and slices into a heap outside the Go heap,
// where the collector neither scans nor counts them, and from which they can be
// dropped in one piece.
//
//	type node struct {
//		key         int64
//		left, right offheap.Ref[node]
//	}
//
//	n, err := offheap.New[node](mc) // zeroed
//	n.left = offheap.RefOf(m)
//	m = n.left.Get()
//	offheap.Free(mc, n) // or drop all of them with the heap
//
// # Terms
//
// A heap is a *memctx.Context or a *memctx.Locked, or what else is a [Heap]. Each
// value of [New] and each slice of [MakeSlice] is one block of it, and is given back
// with [Free] and [FreeSlice]. A link is a [Ref]: the address of a value, as a
// number. Nothing here remembers anything but which types it has looked at, so these
// blocks are the heap's as any others are: in its limit, its statistics, its leaks.
//
// # Why Go pointers are refused
//
// The governing rule: no type that holds a Go pointer is ever laid over a block. Not
// a pointer, string, slice, map, channel, function, interface or unsafe.Pointer, nor
// a struct or an array that has one in it, however deep. There are two reasons, each
// of them enough:
//
//   - The collector does not look into blocks. What only a block refers to is
//     collected, and the block then refers to something else.
//   - A store of a pointer is more than a store while the collector marks: it hands
//     the old value of that place to the collector, which takes it for a pointer
//     too. In memory that was used before, the old value is anything. The process
//     ends: "found bad pointer in Go heap".
//
// So [New], [MakeSlice], [Grow] and [Append] look at the type, once, and refuse it
// with a [*TypeError] that names the field. For the second reason memory is cleared
// as bytes before there is a pointer to a T. Functions without an error in their
// result do not look: [Free], [FreeSlice] and [Ref.Get] are for values that exist,
// and values of a type that is refused do not come into being here.
//
// Numbers that are addresses are allowed: uintptr, memctx.Addr, Ref. So are arrays
// of no elements, of whatever type. A text is kept as bytes of its own, a slice of
// bytes from MakeSlice with a Ref to its first one and a length, or as offsets into
// a text that lives elsewhere.
//
// # Lifetimes
//
// A value lives until it is freed, or its heap is reset or closed, and not as long as
// something points to it. A *T of New, and a slice of MakeSlice, are ordinary Go
// values, which can be kept in Go variables and structs, and the compiler does not
// know when they end. docs/LIFETIMES.md has the mistakes that this allows, and what
// catches each.
//
// # Slices
//
// The builtin append moves a full slice to the Go heap in silence. The block stays
// behind, and the slice is no longer the heap's. [Append] grows it in the heap
// instead, and after [Grow] the builtin append has room for as many elements as were
// asked for, and does not move. [FreeSlice], [Grow] and [Append] look at where
// a slice is each time: if not in the heap, it is a fault of kind diag.Foreign.
//
//	slice             FreeSlice, or growing it
//	nil               does nothing; growing it makes a slice
//	s                 its block, which slices without length or capacity have too
//	s[:n], s[:n:m]    the same block, since it begins there; growing keeps the
//	                  first m elements
//	s[1:]             no block begins there: a fault of kind Interior or Misaligned
//	                  in a checked context. In others the heap judges by the word
//	                  before the element, as Free does for any pointer; with
//	                  32-bit words, values of the user's may look right to it
//	on the Go heap    a fault of kind Foreign
//
// Elements without bytes, such as struct{}, have slices like others, in blocks of no
// bytes.
//
// # Alignment
//
// Blocks are aligned to 16 bytes, and to 8 where words have 32 bits, which is as much
// as any Go type wants: 64-bit atomics too are aligned in every element.
package offheap
