package bins

import (
	"fmt"

	"github.com/cookmem-go/cookmem/internal/raw"
)

// List is the quick list of one class: a stack of cached chunks and the counts
// from which the heap's totals are derived. Alloc moves one count and Free
// another, because one counter moved by both would tie each call to the one
// before.
//
// Counts are words: on 32-bit systems they wrap, and their differences stay
// right.
type List struct {
	Head   raw.Addr // block on top of the stack, 0 if empty
	Allocs uint     // blocks of this class ever handed out
	Frees  uint     // blocks of this class ever taken back
	Held   uint     // chunks of this class that exist, live or cached
}

// Lists are the quick lists of a context. They lie in the reverse order of their
// classes, which is why [Lists.Of] finds them and no index.
type Lists struct{ reversed [Classes]List }

// Init makes the lists ready for use. Those of the classes below [First], which no
// chunk has, look as if a call were changing them for ever: a short way that meets one
// by a class that is none leaves it alone, without a question of its own.
func (ls *Lists) Init() {
	for class := range uint8(First) {
		ls.Of(class).Head = Busy
	}
}

// Of returns the list of a class, which must be below [Classes].
//
// It subtracts from the last list's address because the compiler would put an
// addition into each access that follows, as the sum of two registers, and a store
// to such a sum costs a processor more than one to a register and a constant. A list
// is stored to three times in each short call.
func (ls *Lists) Of(class uint8) *List {
	return raw.Before(&ls.reversed[Classes-1], uintptr(class))
}

// Busy as the Head of a list says that a call is about to change the list. The
// short ways of Alloc and Free set it first and overwrite it with the new head,
// so that a second goroutine on the same list is noticed for the price of one
// store.
const Busy raw.Addr = 1

// Push puts block b on the list. Its first word becomes the link.
func (l *List) Push(b raw.Addr) {
	raw.Store(b, uintptr(l.Head))
	l.Head = b
}

// Pop takes the block on top of the list, which must not be empty.
func (l *List) Pop() raw.Addr {
	b := l.Head
	l.Head = raw.Addr(raw.Load(b))
	return b
}

// Live returns the number of blocks of the class that users hold.
func (l *List) Live() uint { return l.Allocs - l.Frees }

// Cached returns the number of chunks on the list.
func (l *List) Cached() uint { return l.Held - l.Live() }

// Equal is a reserve, a number of chunks that may wait for their next use beside live
// blocks of their class: as many, as a class has that comes and goes.
func Equal(live uint) uint { return live }

// Half is a reserve of half of what is live, but of a quarter of the first 128.
//
// Where sizes are random, the number of live blocks of a class goes up and down by
// about its square root. Where they are few, that is many per cent, each list would
// keep what its own class has had at most, and all together much more than the heap
// ever had. Where they are many, it is the program that lets them come and go.
func Half(live uint) uint { return live/4 + (max(live, 128)-128)/4 }

// Surplus returns the number of chunks on the list beyond the reserve, [Equal] or
// [Half]. A class that comes and goes has none; one that a program is done with, as it
// is with small sizes when all its blocks have grown, is all surplus.
func (l *List) Surplus(reserve func(live uint) uint) uint {
	cached := l.Cached()
	return cached - min(cached, reserve(l.Live()))
}

// SurplusBytes returns the size of all chunks on the lists beyond their reserves.
func (ls *Lists) SurplusBytes(reserve func(live uint) uint) (bytes uintptr) {
	for class := uint8(First); class < Classes; class++ {
		bytes += uintptr(ls.Of(class).Surplus(reserve)) * SizeOf(class)
	}
	return bytes
}

// CachedBytes returns the size of all chunks on the lists.
func (ls *Lists) CachedBytes() (bytes uintptr) {
	for class := uint8(First); class < Classes; class++ {
		bytes += uintptr(ls.Of(class).Cached()) * SizeOf(class)
	}
	return bytes
}

// LiveBytes returns the size of all chunks of the classes that users hold.
func (ls *Lists) LiveBytes() (bytes uintptr) {
	for class := uint8(First); class < Classes; class++ {
		bytes += uintptr(ls.Of(class).Live()) * SizeOf(class)
	}
	return bytes
}

// Forget drops every chunk, live or cached, without touching it: their
// segments are gone. Live blocks count as freed.
func (ls *Lists) Forget() {
	for class := uint8(First); class < Classes; class++ {
		l := ls.Of(class)
		l.Frees = l.Allocs
		l.Head, l.Held = 0, 0
	}
}

// Check walks the lists, calls visit for each cached block with the size it
// must have, and compares the counts (invariant 6).
func (ls *Lists) Check(visit func(b raw.Addr, size uintptr) error) error {
	for class := uint8(First); class < Classes; class++ {
		l := ls.Of(class)
		count := uint(0)
		for b := l.Head; b != 0; b = raw.Addr(raw.Load(b)) {
			if count++; count > l.Cached() {
				return fmt.Errorf("invariant 6: quick list of %d bytes is longer than the %d chunks counted: a loop?", SizeOf(class), l.Cached())
			}
			if err := visit(b, SizeOf(class)); err != nil {
				return err
			}
		}
		if count != l.Cached() {
			return fmt.Errorf("invariant 6: quick list of %d bytes has %d chunks, counted were %d", SizeOf(class), count, l.Cached())
		}
	}
	return nil
}
