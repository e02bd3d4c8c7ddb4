package memctx_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// claimed is a provider that calls its segments zero although a mark lies in
// the middle of each: what AllocZeroed leaves of the mark tells whether it
// touched the memory.
type claimed struct{ segment.Provider }

const mark = 0xa5

func (p claimed) Acquire(min, max int) (segment.Segment, error) {
	s, err := p.Provider.Acquire(min, max)
	if err == nil {
		*(*byte)(unsafe.Add(s.Base, s.Size/2)) = mark
		s.Zeroed = true
	}
	return s, err
}

func TestAllocZeroedDoesNotTouchFreshMemory(t *testing.T) {
	mc, err := memctx.New(&memctx.Options{Provider: claimed{segment.Heap()}})
	if err != nil {
		t.Fatal(err)
	}
	defer mc.Close()
	const n = 8 << 20
	p, err := mc.AllocZeroed(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	block := unsafe.Slice((*byte)(p), n)
	if marks := bytes.Count(block, []byte{mark}); marks != 1 {
		t.Errorf("the mark in fresh memory was found %d times, want once: it was cleared", marks)
	}
	if dirty := n - bytes.Count(block, []byte{0}); dirty != 1 {
		t.Errorf("%d bytes are not zero, want only the mark", dirty)
	}
	// The same chunk once more is no longer fresh.
	for i := range block {
		block[i] = 0xff
	}
	keep, err := mc.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	mc.Free(p)
	mc.Free(keep)
	if p, err = mc.AllocZeroed(n-64<<10, 1); err != nil {
		t.Fatal(err)
	}
	if again := unsafe.Slice((*byte)(p), n-64<<10); bytes.Count(again, []byte{0}) < len(again)-1 {
		t.Error("recycled memory was not cleared")
	}
}
