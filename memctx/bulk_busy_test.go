package memctx

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
)

// TestFreeManyMeetsAShortCall marks a list as one that a short call is changing. No
// block may be freed then, whatever its class.
func TestFreeManyMeetsAShortCall(t *testing.T) {
	mc, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer mc.Close()
	var ptrs []unsafe.Pointer
	for _, n := range []int{500, 64, 500, 64} {
		p, err := mc.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		ptrs = append(ptrs, p)
	}
	l := mc.quick.Of(bins.ForRequest(64))
	head := l.Head
	l.Head = bins.Busy
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, diag.Concurrent) {
				t.Errorf("the fault is %v", err)
			}
		}()
		mc.FreeMany(ptrs)
	}()
	l.Head = head
	if got := mc.Stats().Blocks; got != 4 {
		t.Errorf("%d blocks are live", got)
	}
	if err := mc.Check(); err != nil {
		t.Error(err)
	}
	mc.FreeMany(ptrs)
}
