package memctx

import (
	"math/bits"
	"testing"
	"unsafe"
)

// TestContextIsSmall holds the Context to the size class of the Go heap that leaves
// room for a page of blocks within 8 KiB: 3456 bytes, less a word that the collector
// keeps. What few contexts need should be behind a pointer.
func TestContextIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Context{}); bits.UintSize == 64 && size > 2424 {
		t.Errorf("a Context has %d bytes", size)
	}
}
