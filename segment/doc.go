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
// Release takes whole segments, and two segments that happen to touch are two, until
// somebody joins them:
//
//	s, err := segment.Join(p, a, b)      // b begins where a ends
//	a, b, err = segment.Split(p, s, n)   // and apart again, after n bytes
//
// On Windows they cannot be joined, as a reservation goes back as one piece and no
// more. On Unix a segment is a run of pages, and the kernel takes back any run, so that
// neither call reaches it. A [Cache] joins idle mappings for a request that none of them
// could serve, and lets a segment grow over the mapping behind its own. A heap does not
// join what it has: it could give neither back while the other is in use.
//
// # Optional abilities
//
// Resize, Join, Split, Discard and Commit belong to the interfaces [Resizer], [Joiner],
// [Discarder] and [Committer]. Decorators have all their methods and pass the call on,
// so that a type assertion on a decorator says nothing about what is beneath it.
// Use the functions [Resize], [Join], [Split], [Discard] and [Commit], which ask the
// provider and answer [errors.ErrUnsupported], or nil for a Commit that is not needed.
// [CommitterOf] finds out once, ahead, whether Commit must be called at all.
// [Drain] reaches through decorators to every cache below. [ReleaseMany] gives back
// many segments at once, which a cache takes for less than one by one.
//
// # Alignment
//
// A source aligns to its own unit: pages on Unix, 64 KiB on Windows, 16 bytes
// for Heap and Fixed. A Cache keeps the alignment of its upstream up to 4 KiB.
package segment
