package memctx_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
)

// TestCopyOfConstants is about the compiler: that of Go 1.26 panics when it makes
// moves of a copy whose length it knows, and the target is a number to it.
func TestCopyOfConstants(t *testing.T) {
	const text = "a constant of more than sixteen bytes"
	mc := newContext(t, nil)
	a := memctx.AddrOf(mustAlloc(t, mc, 100))
	for name, write := range map[string]func(){
		"Pointer": func() { copy(unsafe.Slice((*byte)(a.Pointer()), 100), "1 "+text) },
		"Bytes":   func() { copy(a.Bytes(100), "2 "+text) },
	} {
		write()
		if got := string(a.Bytes(2 + len(text))); !strings.HasSuffix(got, text) {
			t.Errorf("%s: %q was written", name, got)
		}
	}
	if p := memctx.Addr(0).Pointer(); p != nil {
		t.Errorf("address 0 is pointer %p", p)
	}
}
