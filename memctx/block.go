package memctx

import (
	"fmt"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
)

// UsableSize returns how many bytes of the live block at p may be used: at
// least what was asked for, and exactly that under ExactSize and Guard and for
// blocks of AllocAligned with an alignment larger than Alloc's. Misuse panics as
// with [Context.Free].
func (mc *Context) UsableSize(p unsafe.Pointer) int {
	b := raw.AddrOf(p)
	if size := mc.shortSize(b); size != 0 {
		return int(size - chunk.Header)
	}
	mc.enterUser("UsableSize", b)
	c, head := mc.lookUp("UsableSize", b)
	if head.State() == chunk.Trailed {
		mc.checkGuards("UsableSize", b, c, head.Size())
	}
	usable, _ := mc.extent(b, c, head)
	mc.leave()
	return int(usable)
}

// Contains reports whether p points into a segment of the context. It does not
// tell whether a live block is there. On a closed context it is false.
func (mc *Context) Contains(p unsafe.Pointer) bool {
	if mc.mode == 0 {
		return mc.segments.find(raw.AddrOf(p)) != nil
	}
	if !mc.enter("Contains") {
		return false
	}
	found := mc.segments.find(raw.AddrOf(p)) != nil
	mc.leave()
	return found
}

// FreeSized is Free for a caller who knows the block's size and alignment: n is
// what was asked for, align what was given to AllocAligned or 0. More bytes than the
// block has, or a larger alignment, are a fault; and fewer bytes where a block keeps
// its size, which it does under ExactSize, Guard and Checked, or any other alignment
// under Checked. A nil p is allowed.
func (mc *Context) FreeSized(p unsafe.Pointer, n, align int) {
	b := raw.AddrOf(p)
	if b == 0 {
		return
	}
	if size := mc.shortSize(b); size != 0 && uint(n) <= uint(size-chunk.Header) && align <= chunk.Align {
		mc.Free(p)
		return
	}
	mc.enterUser("FreeSized", b)
	c, head := mc.lookUp("FreeSized", b)
	exactly := head.State() == chunk.Trailed
	if exactly { // what an overwritten trailer tells is no size to compare with
		mc.checkGuards("FreeSized", b, c, head.Size())
	}
	usable, aligned := mc.extent(b, c, head)
	wrongAlign := uintptr(max(align, 0)) > aligned || mc.mode&checked != 0 && uintptr(max(align, chunk.Align)) != aligned
	if n < 0 || uintptr(n) > usable || exactly && uintptr(n) != usable || wrongAlign {
		mc.fault(diag.Fault{Kind: diag.WrongSize, Op: "FreeSized", Addr: uintptr(b), Block: mc.describe(c, head),
			Hint: fmt.Sprintf("given were %d bytes, aligned to %d", n, align)})
	}
	mc.freeLive("FreeSized", b, c, head)
}

// Bytes returns n zeroed bytes as a slice of that capacity, for the context to
// take back with [Context.FreeBytes]. A slice of zero bytes holds a block as well.
// The errors are those of Alloc.
//
// The builtin append moves a full slice to the Go heap in silence; the block
// then remains in the context until it is freed.
func (mc *Context) Bytes(n int) ([]byte, error) {
	if uint(n) > MaxRequest {
		return nil, mc.failed("Bytes", n, 0, ErrSize)
	}
	p, err := mc.allocZeroed("Bytes", n)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// CloneBytes returns a copy of b in the context.
func (mc *Context) CloneBytes(b []byte) ([]byte, error) {
	p, err := mc.allocNamed("CloneBytes", len(b))
	if err != nil {
		return nil, err
	}
	clone := unsafe.Slice((*byte)(p), len(b))
	copy(clone, b)
	return clone, nil
}

// allocNamed is Alloc on behalf of the call op.
func (mc *Context) allocNamed(op string, n int) (unsafe.Pointer, error) {
	if mc.mode != 0 {
		return mc.allocChecked(op, n)
	}
	p, err := mc.Alloc(n)
	if err != nil {
		err.(*Error).Op = op
	}
	return p, err
}

// FreeBytes gives back a slice that Bytes or CloneBytes returned, or a part of
// it that begins where it began. A slice that is elsewhere, on the Go heap after
// a builtin append for instance, is a fault of kind [diag.Foreign]. A nil slice
// is allowed.
func (mc *Context) FreeBytes(b []byte) {
	p := unsafe.Pointer(unsafe.SliceData(b))
	a := raw.AddrOf(p)
	if a == 0 {
		return
	}
	// Memory of the Go heap must not even be looked at as a head.
	if mc.mode == 0 && mc.segments.find(a) != nil && mc.shortSize(a) != 0 {
		mc.Free(p)
		return
	}
	mc.enterUser("FreeBytes", a)
	if mc.segments.find(a) == nil && !mc.hadSegment(a) {
		mc.fault(diag.Fault{Kind: diag.Foreign, Op: "FreeBytes", Addr: uintptr(a),
			Hint: "the slice is not in this context: was it grown by append?"})
	}
	c, head := mc.lookUp("FreeBytes", a)
	mc.freeLive("FreeBytes", a, c, head)
}

// Addr is the address of a block, for indexes and links: a number that the
// garbage collector does not follow. It does not keep anything alive. The zero
// Addr is nil.
type Addr uintptr

// AddrOf returns the address of the block at p. p must not point into a
// goroutine's stack.
func AddrOf(p unsafe.Pointer) Addr { return Addr(uintptr(p)) }

// Pointer returns the address as a pointer, which is valid as long as the block
// is.
func (a Addr) Pointer() (p unsafe.Pointer) {
	// Two values for the pointer: without the nil the compiler of Go 1.26 sees a
	// number where a copy of constant length wants a pointer, and panics.
	if a != 0 {
		p = raw.Addr(a).Pointer()
	}
	return p
}

// Bytes returns the n bytes at the address as a slice without spare capacity.
// It panics if n is negative.
func (a Addr) Bytes(n int) []byte {
	return unsafe.Slice((*byte)(a.Pointer()), n)
}
