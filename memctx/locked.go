package memctx

import (
	"iter"
	"sync"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/segment"
)

// Locked is a [Context] for several goroutines: its methods are those of the
// context, each under one lock. It must be made by [NewLocked] and must not be
// copied.
//
// The lock makes calls safe, not blocks: who frees a block, and when, is still
// the callers' agreement. A pair of Alloc and Free costs several times that of a
// Context; goroutines that allocate much had better have a context each.
type Locked struct {
	mu sync.Mutex
	mc *Context
}

// NewLocked returns a locked context with the given options, as [New] does.
func NewLocked(o *Options) (*Locked, error) {
	mc, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Locked{mc: mc}, nil
}

// lock takes the lock and returns it, for defer l.lock().Unlock(): faults panic.
func (l *Locked) lock() *sync.Mutex {
	l.mu.Lock()
	return &l.mu
}

// Do calls f with the context under the lock: several calls become one step, and
// trees of contexts can be made. f must not keep the context, nor call methods of
// the Locked, which would wait for ever. Do returns what f returns.
func (l *Locked) Do(f func(*Context) error) error {
	defer l.lock().Unlock()
	return f(l.mc)
}

// Alloc is [Context.Alloc].
func (l *Locked) Alloc(n int) (unsafe.Pointer, error) {
	defer l.lock().Unlock()
	return l.mc.Alloc(n)
}

// AllocZeroed is [Context.AllocZeroed].
func (l *Locked) AllocZeroed(count, size int) (unsafe.Pointer, error) {
	defer l.lock().Unlock()
	return l.mc.AllocZeroed(count, size)
}

// AllocAligned is [Context.AllocAligned].
func (l *Locked) AllocAligned(n, align int) (unsafe.Pointer, error) {
	defer l.lock().Unlock()
	return l.mc.AllocAligned(n, align)
}

// Realloc is [Context.Realloc].
func (l *Locked) Realloc(p unsafe.Pointer, n int) (unsafe.Pointer, error) {
	defer l.lock().Unlock()
	return l.mc.Realloc(p, n)
}

// TryResize is [Context.TryResize].
func (l *Locked) TryResize(p unsafe.Pointer, n int) bool {
	defer l.lock().Unlock()
	return l.mc.TryResize(p, n)
}

// Free is [Context.Free].
func (l *Locked) Free(p unsafe.Pointer) {
	defer l.lock().Unlock()
	l.mc.Free(p)
}

// FreeSized is [Context.FreeSized].
func (l *Locked) FreeSized(p unsafe.Pointer, n, align int) {
	defer l.lock().Unlock()
	l.mc.FreeSized(p, n, align)
}

// Bytes is [Context.Bytes].
func (l *Locked) Bytes(n int) ([]byte, error) {
	defer l.lock().Unlock()
	return l.mc.Bytes(n)
}

// CloneBytes is [Context.CloneBytes].
func (l *Locked) CloneBytes(b []byte) ([]byte, error) {
	defer l.lock().Unlock()
	return l.mc.CloneBytes(b)
}

// FreeBytes is [Context.FreeBytes].
func (l *Locked) FreeBytes(b []byte) {
	defer l.lock().Unlock()
	l.mc.FreeBytes(b)
}

// UsableSize is [Context.UsableSize].
func (l *Locked) UsableSize(p unsafe.Pointer) int {
	defer l.lock().Unlock()
	return l.mc.UsableSize(p)
}

// Contains is [Context.Contains].
func (l *Locked) Contains(p unsafe.Pointer) bool {
	defer l.lock().Unlock()
	return l.mc.Contains(p)
}

// Reset is [Context.Reset].
func (l *Locked) Reset() error {
	defer l.lock().Unlock()
	return l.mc.Reset()
}

// Trim is [Context.Trim].
func (l *Locked) Trim() error {
	defer l.lock().Unlock()
	return l.mc.Trim()
}

// Close is [Context.Close].
func (l *Locked) Close() error {
	defer l.lock().Unlock()
	return l.mc.Close()
}

// Check is [Context.Check].
func (l *Locked) Check() error {
	defer l.lock().Unlock()
	return l.mc.Check()
}

// Stats is [Context.Stats].
func (l *Locked) Stats() diag.Stats {
	defer l.lock().Unlock()
	return l.mc.Stats()
}

// Blocks is [Context.Blocks]. The lock is held while the iteration runs.
func (l *Locked) Blocks() iter.Seq[diag.Block] {
	return func(yield func(diag.Block) bool) {
		defer l.lock().Unlock()
		l.mc.Blocks()(yield)
	}
}

// AllocMany is [Context.AllocMany].
func (l *Locked) AllocMany(ptrs []unsafe.Pointer, n int) error {
	defer l.lock().Unlock()
	return l.mc.AllocMany(ptrs, n)
}

// FreeMany is [Context.FreeMany].
func (l *Locked) FreeMany(ptrs []unsafe.Pointer) {
	defer l.lock().Unlock()
	l.mc.FreeMany(ptrs)
}

// Leaks is [Context.Leaks].
func (l *Locked) Leaks() []diag.Leak {
	defer l.lock().Unlock()
	return l.mc.Leaks()
}

// Name is [Context.Name]; it does not lock.
func (l *Locked) Name() string { return l.mc.Name() }

// Limit is [Context.Limit]; it does not lock.
func (l *Locked) Limit() int { return l.mc.Limit() }

// SetLimit is [Context.SetLimit]; it does not lock.
func (l *Locked) SetLimit(n int) { l.mc.SetLimit(n) }

// Footprint is [Context.Footprint]; it does not lock.
func (l *Locked) Footprint() int { return l.mc.Footprint() }

// PeakFootprint is [Context.PeakFootprint]; it does not lock.
func (l *Locked) PeakFootprint() int { return l.mc.PeakFootprint() }

// Provider is [Context.Provider] for several goroutines: contexts of theirs can
// all live within the one under the lock.
func (l *Locked) Provider() segment.Provider { return lockedBlocks{l} }

// lockedBlocks is blocks under the lock.
type lockedBlocks struct{ l *Locked }

func (b lockedBlocks) Acquire(min, max int) (segment.Segment, error) {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.Acquire(min, max)
}

func (b lockedBlocks) Release(s segment.Segment) error {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.Release(s)
}

func (b lockedBlocks) Resize(s segment.Segment, min, max int, fixed bool) (segment.Segment, error) {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.Resize(s, min, max, fixed)
}

func (b lockedBlocks) Discard(s segment.Segment, off, n int) error {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.Discard(s, off, n)
}

func (b lockedBlocks) Drain() error {
	defer b.l.lock().Unlock()
	return blocks{b.l.mc}.Drain()
}
