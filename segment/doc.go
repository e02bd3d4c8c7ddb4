// Package segment is where heaps get their memory from, in large pieces.
//
// # Terms
//
// A [Segment] is a run of bytes: a base address and a size. A [Provider]
// hands segments out and takes them back. A source is a provider that stands
// on nothing of ours: [OS] asks the operating system for pages, [Heap] the Go
// runtime for pointer-free memory, [Fixed] has one buffer of the caller's and
// [Null] has nothing. A decorator is a provider that stands on another one,
// its upstream: [Counter] counts, [Failer] injects failures, [Cache] keeps
// segments for reuse, [Budget] caps what many contexts hold together, [Chain]
// asks one provider and then another, and [Huge] advises huge pages. Decorators stack in any order, and a context
// cannot tell a stack of them from a source.
//
// # The invariant
//
// Every byte has exactly one owner at a time. Acquire makes the caller the
// owner; Release without error makes the provider the owner again. An error
// changes nothing: after a failed Release the caller still owns the segment
// and can try again, after a failed Acquire or Resize nothing has moved.
// Nothing is ever lost between two owners, whatever fails.
//
// # How a segment moves
//
//	s, err := p.Acquire(min, max)   // min is needed, max is welcome
//	err = segment.Commit(p, s, 0, n)  // where the provider only reserves
//	... use the n bytes at s.Base ...
//	err = segment.Discard(p, s, off, n) // the pages go, the addresses stay
//	s, err = segment.Resize(p, s, min, max, false)
//	err = p.Release(s)              // the whole of s, with its latest size
//
// Acquire may return more than max, when its unit is larger than the range
// leaves room for or there is but one buffer to give, so callers charge and use
// Segment.Size, never what they asked for. [Most] tells ahead what it may come to.
//
// # Neighbours
//
// Release takes whole segments, and two segments that happen to touch are two.
// On Windows they must be, as a reservation goes back as one piece and no more.
// Elsewhere the kernel joins adjoining mappings by itself, and what joining them
// here could add is had otherwise: a [Cache] hands out and joins again parts of
// one mapping, and Resize lets a segment grow into free addresses behind it
// (mremap on Linux) or takes its pages to where there are enough. A heap that
// joined segments could give neither back while the other is in use.
//
// # Optional abilities
//
// Resize, Discard and Commit belong to the interfaces [Resizer], [Discarder]
// and [Committer]. Decorators have all three methods and pass the call on, so
// that a type assertion on a decorator says nothing about what is beneath it.
// Use the functions [Resize], [Discard] and [Commit], which ask the provider
// and answer [errors.ErrUnsupported], or nil for a Commit that is not needed.
// [CommitterOf] finds out once, ahead, whether Commit must be called at all.
// [Drain] reaches through decorators to every cache below. [ReleaseMany] gives back
// many segments at once, which a cache takes for less than one by one.
//
// # Alignment
//
// A source aligns to its own unit: pages on Unix, 64 KiB on Windows, 16 bytes
// for Heap and Fixed. A Cache keeps the alignment of its upstream up to 4 KiB.
package segment
