package memctx_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// These tests do to a context what users do by mistake, and require the exact
// fault.

// wreck writes b at p+off and returns how to undo it.
func wreck(p unsafe.Pointer, off int, b byte) (repair func()) {
	at := bytesAt(unsafe.Add(p, off), 1)
	old := at[0]
	at[0] = b
	return func() { at[0] = old }
}

// userCalls are those that look at the guards of one block.
var userCalls = []struct {
	op   string
	call func(mc *memctx.Context, p unsafe.Pointer, n int)
}{
	{"Free", func(mc *memctx.Context, p unsafe.Pointer, n int) { mc.Free(p) }},
	{"FreeSized", func(mc *memctx.Context, p unsafe.Pointer, n int) { mc.FreeSized(p, n, 0) }},
	{"FreeBytes", func(mc *memctx.Context, p unsafe.Pointer, n int) { mc.FreeBytes(bytesAt(p, n)) }},
	{"Realloc", func(mc *memctx.Context, p unsafe.Pointer, n int) { mc.Realloc(p, 2*n) }},
	{"TryResize", func(mc *memctx.Context, p unsafe.Pointer, n int) { mc.TryResize(p, n) }},
	{"UsableSize", func(mc *memctx.Context, p unsafe.Pointer, n int) { mc.UsableSize(p) }},
}

// TestGuards writes one byte before and after blocks of many sizes, near and
// far, and requires each call to say where.
func TestGuards(t *testing.T) {
	mc, _ := newCounted(t, memctx.Options{Guard: true, Name: "guarded"})
	mustAlloc(t, mc, 5)
	for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 100, 1000, 5000, 100_000} {
		for _, align := range []int{0, 256} {
			p := mustAligned(t, mc, n, max(align, 1))
			for off, kind := range map[int]diag.Kind{
				-1: diag.GuardBefore, -chunk.Align: diag.GuardBefore, -3: diag.GuardBefore,
				n: diag.GuardAfter, n + 1: diag.GuardAfter, n + chunk.Align - 1: diag.GuardAfter,
			} {
				repair := wreck(p, off, 0x41)
				for _, c := range userCalls {
					f := mustFault(t, mc, kind, c.op, func() { c.call(mc, p, n) })
					if f.Offset != off || f.Block.Addr != uintptr(p) || f.Block.Size != n || f.Addr != uintptr(p) {
						t.Errorf("%s of %d bytes, written at %d: %+v", c.op, n, off, f)
					}
					if len(f.Got) == 0 || f.Got[0] != 0x41 || f.Want[0] == 0x41 || len(f.Want) != len(f.Got) {
						t.Errorf("the bytes shown are % x, want % x", f.Got, f.Want)
					}
				}
				var f *diag.Fault
				if err := mc.Check(); !errors.As(err, &f) || f.Kind != kind || f.Offset != off || f.Op != "Check" {
					t.Errorf("Check = %v", err)
				}
				repair()
				mustCheck(t, mc)
			}
			mc.Free(p)
		}
	}
}

// TestTrailers overwrites the words behind a block that tell its size.
func TestTrailers(t *testing.T) {
	for _, o := range []memctx.Options{{ExactSize: true}, {Guard: true}, {Checked: true}, {}} {
		mc, _ := newCounted(t, o)
		mustAlloc(t, mc, 5)
		for _, n := range []int{0, 1, 100, 10_000} {
			p := mustAligned(t, mc, n, 64)
			end := trailerOf(t, p, n)
			for _, off := range []int{end + raw.Word - 1, end + raw.Word, end + 2*raw.Word - 1} {
				repair := wreck(p, off, 0xEE)
				for _, c := range userCalls {
					if c.op == "Close" || c.op == "Reset" {
						continue // they look at trailers under Guard only
					}
					mustFault(t, mc, diag.Corrupt, c.op, func() { c.call(mc, p, n) })
				}
				if err := mc.Check(); !errors.Is(err, diag.Corrupt) {
					t.Errorf("Check = %v", err)
				}
				repair()
				mustCheck(t, mc)
			}
			mc.Free(p)
		}
	}
}

// trailerOf returns the offset from the block p of n bytes to its trailer: the
// first place where both words are right. A large block may have a rest before it.
func trailerOf(t *testing.T, p unsafe.Pointer, n int) int {
	t.Helper()
	for off := n; off < n+n/8+8*chunk.Align; off++ {
		at := memctx.AddrOf(p) + memctx.Addr(off)
		if at%raw.Word == 0 && raw.Load(raw.Addr(at)) == uintptr(n) && raw.Load(raw.Addr(at)+raw.Word) == 6 {
			return off
		}
	}
	t.Fatalf("there is no trailer behind %d bytes", n)
	return 0
}

// TestHeads overwrites the head of a block, as a write past the end of the block
// before does, and lets the heap find out.
func TestHeads(t *testing.T) {
	if raw.Word == 4 {
		t.Skip("without tags a head overwritten with zeroes looks like a tombstone")
	}
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc := newRoomy(t, o)
		head := -chunk.Header
		if o.Guard {
			head -= chunk.Align
		}
		for _, n := range []int{0, 100, 9000, 100_000} {
			p := mustAlloc(t, mc, n)
			mustAlloc(t, mc, n)
			saved := slices.Clone(bytesAt(unsafe.Add(p, head), chunk.Header))
			for _, junk := range []byte{0x00, 0x20, 0xFF} {
				copy(bytesAt(unsafe.Add(p, head), chunk.Header), bytes.Repeat([]byte{junk}, chunk.Header))
				for _, c := range userCalls[:6] {
					mustFault(t, mc, diag.Corrupt, c.op, func() { c.call(mc, p, n) })
				}
				if mc.Check() == nil {
					t.Error("Check noticed nothing")
				}
			}
			copy(bytesAt(unsafe.Add(p, head), chunk.Header), saved)
			mustCheck(t, mc)
			mc.Free(p)
		}
	})
}

// TestHeadBehind overwrites the head behind a large block.
func TestHeadBehind(t *testing.T) {
	mc := newRoomy(t, memctx.Options{})
	p := mustAlloc(t, mc, bins.MaxRequest+1000)
	behind := mustAlloc(t, mc, 100)
	repair := wreck(behind, -chunk.Header, 0)
	if !bigEndian() {
		mustFault(t, mc, diag.Corrupt, "Free", func() { mc.Free(p) })
		mustFault(t, mc, diag.Corrupt, "Realloc", func() { mc.Realloc(p, 1) })
	}
	repair()
	mc.Free(p)
}

// bigEndian reports whether the first byte of a head is its highest.
func bigEndian() bool {
	word := uint16(1)
	return *(*byte)(unsafe.Pointer(&word)) == 0
}

func TestFreeSizedWrongly(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		exact := isExact(o)
		p := mustAlloc(t, mc, 100)
		a := mustAligned(t, mc, 100, 64)
		for _, c := range []struct {
			p        unsafe.Pointer
			n, align int
			ok       bool
		}{
			{p, -1, 0, false}, {p, 200, 0, false}, {p, 1 << 30, 0, false}, {p, 100, 32, false}, {p, 99, 0, !exact},
			{a, 100, 128, false}, {a, 99, 64, false}, {a, 101, 64, false}, {a, -100, 64, false},
		} {
			if c.ok {
				continue // freeing it would end the test
			}
			f := mustFault(t, mc, diag.WrongSize, "FreeSized", func() { mc.FreeSized(c.p, c.n, c.align) })
			if f.Block.Addr != uintptr(c.p) || f.Block.Size < 100 {
				t.Errorf("the block is %+v", f.Block)
			}
		}
		mustCheck(t, mc)
		mc.FreeSized(p, 100, 0)
		mc.FreeSized(a, 100, 64)
	})
}

// TestCallsWithinBlocks calls everything from within a loop over the blocks,
// which stands for another goroutine at a moment that can be chosen.
func TestCallsWithinBlocks(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		o.Name = "shared"
		mc, _ := newCounted(t, o)
		p := mustAlloc(t, mc, 100)
		calls := map[string]func(){
			"Alloc":        func() { mc.Alloc(1) },
			"AllocZeroed":  func() { mc.AllocZeroed(1, 1) },
			"AllocAligned": func() { mc.AllocAligned(1, 64) },
			"Realloc":      func() { mc.Realloc(p, 1) },
			"TryResize":    func() { mc.TryResize(p, 1) },
			"Free":         func() { mc.Free(p) },
			"FreeSized":    func() { mc.FreeSized(p, 100, 0) },
			"FreeBytes":    func() { mc.FreeBytes(bytesAt(p, 100)) },
			"UsableSize":   func() { mc.UsableSize(p) },
			"Contains":     func() { mc.Contains(p) },
			"Check":        func() { mc.Check() },
			"Trim":         func() { mc.Trim() },
			"Reset":        func() { mc.Reset() },
			"Close":        func() { mc.Close() },
			"Blocks": func() {
				for range mc.Blocks() {
				}
			},
		}
		for op, call := range calls {
			seen := 0
			f := faultOf(func() {
				for range mc.Blocks() {
					seen++
					call()
				}
			})
			if f == nil || f.Kind != diag.Concurrent || f.Op != op || f.Context != "shared" || seen != 1 {
				t.Errorf("%s within Blocks: %v after %d blocks", op, f, seen)
			}
			mustCheck(t, mc) // the fault has ended the loop and left the context usable
		}
		mc.Free(p)
	})
}

// TestBlocksLoopsThatEndEarly leaves the context usable however a loop ends.
func TestBlocksLoopsThatEndEarly(t *testing.T) {
	mc, _ := newCounted(t, memctx.Options{})
	for range 10 {
		mustAlloc(t, mc, 100)
	}
	for range mc.Blocks() {
		break
	}
	mustAlloc(t, mc, 1)
	func() {
		defer func() { recover() }()
		for range mc.Blocks() {
			panic("the body's own")
		}
	}()
	mustAlloc(t, mc, 1)
	count := 0
	for range mc.Blocks() {
		count++
	}
	if count != 12 {
		t.Errorf("%d blocks", count)
	}
}

// TestClosed calls everything on a closed context.
func TestClosed(t *testing.T) {
	mc := newContext(t, &memctx.Options{Name: "gone", Provider: segment.Heap()})
	mustAlloc(t, mc, 1)
	for range 2 {
		if err := mc.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range sizeCalls {
		mustFail(t, c.call(mc, 1), memctx.ErrClosed, c.op)
	}
	_, err := mc.CloneBytes([]byte("text"))
	mustFail(t, err, memctx.ErrClosed, "CloneBytes")
	mustFail(t, mc.Reset(), memctx.ErrClosed, "Reset")
	mustFail(t, mc.Trim(), memctx.ErrClosed, "Trim")
	mustFail(t, mc.Check(), memctx.ErrClosed, "Check")
	for b := range mc.Blocks() {
		t.Errorf("block %+v", b)
	}
	s := mc.Stats()
	if s.Footprint != 0 || s.Blocks != 0 || s.Segments != 0 || s.InUse != 0 || mc.Footprint() != 0 {
		t.Errorf("%+v", s)
	}
	if mc.Contains(unsafe.Pointer(&s)) || mc.Name() != "gone" || mc.PeakFootprint() == 0 {
		t.Error("Contains, Name or PeakFootprint is wrong")
	}
}

// TestFaultTexts reads what a user would read.
func TestFaultTexts(t *testing.T) {
	mc, _ := newCounted(t, memctx.Options{Guard: true, Name: "tenant"})
	p := mustAlloc(t, mc, 10)
	repair := wreck(p, 10, 0)
	f := mustFault(t, mc, diag.GuardAfter, "Free", func() { mc.Free(p) })
	repair()
	want := fmt.Sprintf(`memctx: Free: write past the block's end: pointer %#x, block of 10 bytes at %#x in context "tenant": byte 10 is 00`, p, p)
	if got := f.Error(); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("the fault is %s\nwant %s ...", got, want)
	}
}

// TestOverflowIntoTheNextHead writes a few bytes past a block's end: they change
// the size in the next head and spare its tag.
func TestOverflowIntoTheNextHead(t *testing.T) {
	for _, n := range []int{100, bins.MaxRequest + 1, 100_000} {
		if n <= bins.MaxRequest && !chunk.HasClasses {
			continue // a wrong size may be that of another class
		}
		for bytes := 1; bytes <= 3; bytes++ {
			wrong := []byte{'X', 0xf3}[bytes%2] // as flags: free, in use
			mc, _ := newCounted(t, memctx.Options{Name: "overflow"})
			mustAlloc(t, mc, n)
			q := mustAlloc(t, mc, n)
			mustAlloc(t, mc, n)
			head := -chunk.Header // where the block before q ends
			if raw.BigEndian == 1 {
				head = -bytes - 1 // the low bytes of a head come last
			}
			var repairs []func()
			for i := range bytes {
				repairs = append(repairs, wreck(q, head+i, wrong))
			}
			if n > bins.MaxRequest {
				mustFault(t, mc, diag.Corrupt, "Free", func() { mc.Free(q) })
			} else {
				mc.Free(q) // the short way needs no size
				mustFault(t, mc, diag.Corrupt, "Trim", func() { mc.Trim() })
			}
			for _, repair := range repairs {
				repair()
			}
			if err := mc.Check(); err != nil {
				t.Errorf("%d bytes past %d: after the repair: %v", bytes, n, err)
			}
		}
	}
}

// TestWriteAfterFree overwrites the link in a freed block.
func TestWriteAfterFree(t *testing.T) {
	mc, _ := newCounted(t, memctx.Options{Name: "late"})
	p := mustAlloc(t, mc, 100)
	mustAlloc(t, mc, 100)
	mc.Free(p)
	var repairs []func()
	for i := range int(raw.Word) {
		repairs = append(repairs, wreck(p, i, 0x50))
	}
	mustFault(t, mc, diag.Corrupt, "Trim", func() { mc.Trim() })
	for _, repair := range repairs {
		repair()
	}
}

// TestGuardsOfTwoContexts breaks the same block in two contexts, and then covers
// the guard of one with the guard of the other.
func TestGuardsOfTwoContexts(t *testing.T) {
	const n = 100
	var want [2][]byte
	var blocks [2]unsafe.Pointer
	var contexts [2]*memctx.Context
	for i := range want {
		mc, _ := newCounted(t, memctx.Options{Guard: true, Name: fmt.Sprint("guarded ", i)})
		blocks[i], contexts[i] = mustAlloc(t, mc, n), mc
		repair := wreck(blocks[i], -chunk.Align, 0x41)
		f := mustFault(t, mc, diag.GuardBefore, "UsableSize", func() { mc.UsableSize(blocks[i]) })
		repair()
		if len(f.Got) != chunk.Align || f.Got[0] != 0x41 || !bytes.Equal(f.Got[1:], f.Want[1:]) {
			t.Errorf("the bytes found are % x, want 41 and % x", f.Got, f.Want[1:])
		}
		want[i] = f.Want
	}
	if bytes.Equal(want[0], want[1]) {
		t.Errorf("both have the guard % x", want[0])
	}
	guards := [2][]byte{}
	for i := range guards {
		guards[i] = bytesAt(unsafe.Add(blocks[i], -chunk.Align), chunk.Align)
	}
	saved := bytes.Clone(guards[1])
	copy(guards[1], guards[0])
	f := mustFault(t, contexts[1], diag.GuardBefore, "Free", func() { contexts[1].Free(blocks[1]) })
	if !bytes.Equal(f.Got, want[0][chunk.Align-len(f.Got):]) {
		t.Errorf("the bytes found are % x, not the end of the other's % x", f.Got, want[0])
	}
	copy(guards[1], saved)
}

// TestNilIsNoBlock passes nil to the calls that do not allow it.
func TestNilIsNoBlock(t *testing.T) {
	eachTreeAndMode(t, func(t *testing.T, o memctx.Options) {
		mc, _ := newCounted(t, o)
		for range 2 { // without a segment, and with one
			mustFault(t, mc, diag.Foreign, "UsableSize", func() { mc.UsableSize(nil) })
			mustFault(t, mc, diag.Foreign, "TryResize", func() { mc.TryResize(nil, 10) })
			mustAlloc(t, mc, 10)
		}
	})
}
