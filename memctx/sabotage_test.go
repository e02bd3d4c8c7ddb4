package memctx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/bins"
	"github.com/cookmem-go/cookmem/internal/chunk"
	"github.com/cookmem-go/cookmem/internal/raw"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// victim is a sound heap to be broken. Its blocks lie one after the other in the
// segment with the top; those marked free are free chunks, with blocks in use
// around them.
type victim struct {
	mc            *Context
	plain, behind raw.Addr // neighbours of a class's size
	cached        raw.Addr // on a quick list, on top of another
	large         raw.Addr // above bins.MaxRequest
	aligned       raw.Addr // with a trailer
	small, twin   raw.Addr // free, in one small bin
	treed, ringed raw.Addr // free, in the tree, of equal size
	idle          raw.Addr // free, a whole segment
	retired       raw.Addr // the only block of a segment that ends with a fence
}

func newVictim(t *testing.T, kind tree.Kind) *victim {
	t.Helper()
	mc, err := New(&Options{Tree: kind, Name: "victim", Provider: segment.Heap(), Retain: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{mc: mc}
	v.build(t)
	if err := mc.Check(); err != nil {
		t.Fatalf("before the sabotage: %v", err)
	}
	return v
}

// build fills the heap.
func (v *victim) build(t *testing.T) {
	mc := v.mc
	get := func(n int) raw.Addr {
		p, err := mc.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		return raw.AddrOf(p)
	}
	free := func(blocks ...raw.Addr) {
		for _, b := range blocks {
			mc.Free(b.Pointer())
		}
	}
	get(2 << 20)
	if err := mc.Reset(); err != nil { // that segment is the top from now on
		t.Fatal(err)
	}
	v.plain, v.behind = get(1000), get(1000)
	for _, b := range []*raw.Addr{&v.small, &v.twin} {
		*b = get(bins.MaxSmall / 2)
		get(300) // keeps what will be free apart
	}
	for _, b := range []*raw.Addr{&v.treed, &v.ringed} {
		*b = get(3000)
		get(300)
	}
	v.retired, v.idle = get(4<<20), get(3<<20)
	v.large = get(bins.MaxRequest + 5000)
	p, err := mc.AllocAligned(100, 64)
	if err != nil {
		t.Fatal(err)
	}
	v.aligned = raw.AddrOf(p)
	last := get(2000)
	v.cached = get(2000)
	free(v.small, v.twin, v.treed, v.ringed)
	if err := mc.Trim(); err != nil { // makes free chunks of what waits in quick lists
		t.Fatal(err)
	}
	free(last, v.cached, v.idle)
}

// head returns the head of the block b.
func (v *victim) head(b raw.Addr) chunk.Head { return chunk.Read(chunk.OfBlock(b), v.mc.tag) }

// setHead replaces the head of the block b.
func (v *victim) setHead(b raw.Addr, h chunk.Head) { chunk.Write(chunk.OfBlock(b), v.mc.tag, h) }

// next returns the chunk behind the block b.
func (v *victim) next(b raw.Addr) raw.Addr { return chunk.OfBlock(b) + raw.Addr(v.head(b).Size()) }

// list returns the quick list of the block b's class.
func (v *victim) list(b raw.Addr) *bins.List { return v.mc.quick.Of(bins.ForChunk(v.head(b).Size())) }

// firstOfBin returns the block at the head of the bin of small and twin.
func (v *victim) firstOfBin() raw.Addr {
	b := v.mc.small.TakeExact(v.head(v.small).Size())
	v.mc.small.Insert(b, v.head(b).Size())
	return b
}

// sabotages break one thing each, and tell the number of the invariant that
// Check must name.
var sabotages = []struct {
	name      string
	invariant int
	do        func(v *victim)
}{
	{"footprint too large", 1, func(v *victim) { v.mc.footprint.Add(4096) }},
	{"segment forgotten", 1, func(v *victim) { v.mc.footprint.Add(-1) }},
	{"segments out of order", 1, func(v *victim) {
		s := v.mc.segments.sorted
		s[0], s[1] = s[1], s[0]
	}},
	{"head is zero", 2, func(v *victim) { raw.Store(chunk.OfBlock(v.behind), 0) }},
	{"head of another context", 2, func(v *victim) {
		if raw.Word == 4 {
			v.setHead(v.behind, 0) // there are no tags
			return
		}
		chunk.Write(chunk.OfBlock(v.behind), v.mc.tag^chunk.TagOf(0), v.head(v.behind))
	}},
	{"size beyond the segment", 2, func(v *victim) { v.setHead(v.behind, chunk.Make(64<<20, chunk.P|chunk.InUse)) }},
	{"size too small", 2, func(v *victim) { v.setHead(v.behind, chunk.Make(chunk.Min-chunk.Align, chunk.P|chunk.InUse)) }},
	{"tombstone in the middle", 2, func(v *victim) { chunk.Bury(chunk.OfBlock(v.behind), v.mc.tag) }},
	{"P cleared behind a block in use", 3, func(v *victim) { v.setHead(v.behind, v.head(v.behind)&^chunk.P) }},
	{"P set behind a free chunk", 3, func(v *victim) {
		c := v.next(v.small)
		chunk.Write(c, v.mc.tag, chunk.Read(c, v.mc.tag)|chunk.P)
	}},
	{"free neighbours", 4, func(v *victim) {
		c := v.next(v.small)
		h := chunk.Read(c, v.mc.tag)
		chunk.WriteFree(c, v.mc.tag, h.Size())
		chunk.Write(c, v.mc.tag, chunk.Make(h.Size(), chunk.Free))
	}},
	{"free before the top", 4, func(v *victim) {
		last := chunk.OfBlock(v.cached)
		v.mc.top.at = v.next(v.cached)
		chunk.WriteFree(last, v.mc.tag, v.head(v.cached).Size())
	}},
	{"free chunk in no bin", 4, func(v *victim) { v.mc.small.Remove(v.twin, v.head(v.twin).Size()) }},
	{"free chunk in no tree", 4, func(v *victim) { v.mc.tree.Remove(v.ringed) }},
	{"foot overwritten", 5, func(v *victim) { raw.Store(v.next(v.treed)-raw.Word, 12345) }},
	{"foot one too large", 5, func(v *victim) { raw.Store(v.next(v.small)-raw.Word, v.head(v.small).Size()+1) }},
	{"quick list lost", 6, func(v *victim) { v.list(v.cached).Head = 0 }},
	{"quick list cut short", 6, func(v *victim) { raw.Store(v.cached, 0) }},
	{"quick list in a loop", 6, func(v *victim) { raw.Store(v.cached, uintptr(v.cached)) }},
	{"quick list leads outside", 6, func(v *victim) { raw.Store(v.cached, 4096) }},
	{"quick list leads to a live block", 6, func(v *victim) { raw.Store(v.cached, uintptr(v.plain)) }},
	{"cached chunk without a class", 6, func(v *victim) { v.setHead(v.large, v.head(v.large)|chunk.Q) }},
	{"small bin's link outside", 7, func(v *victim) { raw.Store(v.firstOfBin(), 8192) }},
	{"small bin's link back", 7, func(v *victim) { raw.Store(v.firstOfBin()+raw.Word, 8192) }},
	{"small bin holds a live block", 7, func(v *victim) {
		size := v.head(v.small).Size()
		v.mc.small.Remove(v.small, size)
		v.mc.small.Insert(v.plain, size)
	}},
	{"tree loses its nodes", 8, func(v *victim) {
		count := v.mc.tree.Count()
		v.mc.tree.Clear()
		for i := range count { // the number is right, the nodes are not
			v.mc.tree.Insert(v.large+raw.Addr(i)*256, v.head(v.treed).Size())
		}
	}},
	{"tree node of another size", 8, func(v *victim) {
		v.mc.tree.Remove(v.treed)
		v.mc.tree.Insert(v.treed, v.head(v.treed).Size()+chunk.Align)
	}},
	{"links of a tree node", 8, func(v *victim) { raw.Fill(v.ringed, tree.NodeSize, 0x11) }},
	{"live blocks miscounted", 9, func(v *victim) { v.list(v.plain).Allocs++; v.list(v.plain).Held++ }},
	{"class of another list", 9, func(v *victim) {
		if !chunk.HasClasses {
			v.list(v.plain).Allocs++ // heads note no class
			v.list(v.plain).Held++
			return
		}
		chunk.SetLive(v.plain, bins.ForChunk(v.head(v.plain).Size())+1)
	}},
	{"block in use without a class", 9, func(v *victim) {
		// Two neighbours become chunks of other sizes that fill the same place.
		c, size := chunk.OfBlock(v.plain), v.head(v.plain).Size()
		step := uintptr(chunk.Align)
		if bins.IsClass(size - step) {
			panic("that is a class")
		}
		chunk.Write(c, v.mc.tag, chunk.Make(size-step, chunk.P|chunk.InUse))
		chunk.Write(c+raw.Addr(size-step), v.mc.tag, chunk.Make(v.head(v.behind).Size()+step, chunk.P|chunk.InUse))
	}},
	{"large blocks miscounted", 10, func(v *victim) { v.mc.large.allocs++ }},
	{"large bytes miscounted", 10, func(v *victim) { v.mc.largeBytes += chunk.Align }},
	{"fence overwritten", 11, func(v *victim) { raw.Store(v.mc.segments.find(v.retired).end, 0) }},
	{"fence of another span", 11, func(v *victim) {
		r := v.mc.segments.find(v.retired)
		chunk.Write(r.end, v.mc.tag, chunk.MakeFence(r.span()-chunk.Align)|chunk.P)
	}},
	{"fence tells the wrong state", 11, func(v *victim) {
		r := v.mc.segments.find(v.idle)
		chunk.Write(r.end, v.mc.tag, chunk.Read(r.end, v.mc.tag)|chunk.P)
	}},
	{"idle bytes miscounted", 11, func(v *victim) { v.mc.idle = 0 }},
	{"top before its segment's chunks", 12, func(v *victim) { v.mc.top.at = v.mc.segments.find(v.plain).first - chunk.Align }},
	{"top opened before its start", 12, func(v *victim) { v.mc.top.opened = v.mc.top.at - chunk.Align }},
	{"top opened beyond its end", 12, func(v *victim) { v.mc.top.opened = v.mc.top.limit + chunk.Align }},
	{"reach beyond the last segment", 14, func(v *victim) { v.mc.segments.blocks++ }},
	{"reach of a segment that is gone", 14, func(v *victim) { v.mc.segments.shift += chunk.Align }},
	{"segment of small blocks not shared", 14, func(v *victim) {
		v.mc.segments.find(v.plain).shared = false
		v.mc.segments.setReach()
	}},
	{"shared segment out of reach", 14, func(v *victim) { v.mc.segments.reach = reach{} }},
	{"top touched and believed untouched", 12, func(v *victim) { v.mc.top.untouched = v.mc.top.at - chunk.Align }},
}

func TestCheckNamesTheInvariant(t *testing.T) {
	for _, kind := range tree.Kinds() {
		for _, s := range sabotages {
			t.Run(fmt.Sprintf("%v/%s", kind, s.name), func(t *testing.T) {
				v := newVictim(t, kind)
				s.do(v)
				err := v.mc.Check()
				if err == nil {
					t.Fatal("Check noticed nothing")
				}
				if want := fmt.Sprintf("invariant %d: ", s.invariant); !strings.HasPrefix(err.Error(), want) {
					t.Errorf("Check = %v, want %s", err, want)
				}
			})
		}
	}
}

// TestCheckComparesTheMaps breaks what Checked keeps beside the heap (invariant
// 13).
func TestCheckComparesTheMaps(t *testing.T) {
	for name, do := range map[string]func(w *watch, live, freed raw.Addr){
		"live block not mapped":   func(w *watch, live, _ raw.Addr) { w.blocks.died(live) },
		"no block, but mapped":    func(w *watch, live, _ raw.Addr) { m := w.blocks.find(live); m.live.set(m.place(live) + 1) },
		"freed block mapped":      func(w *watch, _, freed raw.Addr) { m := w.blocks.find(freed); m.live.set(m.place(freed)) },
		"freed block not waiting": func(w *watch, _, _ raw.Addr) { w.line.pop() },
		"bytes miscounted":        func(w *watch, _, _ raw.Addr) { w.line.bytes += chunk.Align },
	} {
		mc, err := New(&Options{Checked: true, Provider: segment.Heap()})
		if err != nil {
			t.Fatal(err)
		}
		defer mc.abandon()
		var blocks [3]raw.Addr
		for i := range blocks {
			p, err := mc.Alloc(100)
			if err != nil {
				t.Fatal(err)
			}
			blocks[i] = raw.AddrOf(p)
		}
		mc.Free(blocks[1].Pointer())
		if err := mc.Check(); err != nil {
			t.Fatal(err)
		}
		do(mc.watch, blocks[0], blocks[1])
		// A block that is mapped wrongly may also be counted wrongly.
		if err := mc.Check(); err == nil || !strings.Contains(err.Error(), "invariant 13: ") {
			t.Errorf("%s: Check = %v", name, err)
		}
	}
}

// TestEveryInvariantIsSabotaged keeps the table above complete.
func TestEveryInvariantIsSabotaged(t *testing.T) {
	const invariants = 14
	seen := map[int]bool{13: true} // which has a test of its own
	for _, s := range sabotages {
		seen[s.invariant] = true
	}
	for i := 1; i <= invariants; i++ {
		if !seen[i] {
			t.Errorf("nothing breaks invariant %d", i)
		}
	}
}

// TestEveryContextHasItsTag takes as many contexts as there are tags.
func TestEveryContextHasItsTag(t *testing.T) {
	if raw.Word == 4 {
		t.Skip("there are no tags on 32-bit systems")
	}
	seen := map[uintptr]bool{}
	for n := range uint64(0xffff) {
		seen[chunk.TagOf(n*tagStep)] = true
	}
	if len(seen) != 0xffff || seen[0] {
		t.Errorf("65,535 contexts have %d tags", len(seen))
	}
}

// TestRecordOfAGiant lays out a segment that is larger than any chunk can be.
func TestRecordOfAGiant(t *testing.T) {
	if raw.Word == 4 {
		t.Skip("there are none in 32 bits")
	}
	for _, size := range []uint64{chunk.Limit - 1, chunk.Limit, chunk.Limit + 4096, 3 * chunk.Limit, 1 << 60} {
		r := newRecord(segment.Segment{Base: raw.Addr(1 << 20).Pointer(), Size: int(size)})
		if f := chunk.MakeFence(r.span()); r.span() >= chunk.Limit || r.span() < chunk.Limit-segmentOverhead || !f.IsFence() || f.Span() != r.span() {
			t.Errorf("%d bytes: chunks of %d bytes", size, r.span())
		}
	}
}

// TestRecordAtTheEndOfTheAddressSpace lays out a segment whose end is address 0.
func TestRecordAtTheEndOfTheAddressSpace(t *testing.T) {
	const size = 1 << 16
	base := ^raw.Addr(0) - size + 1
	r := newRecord(segment.Segment{Base: base.Pointer(), Size: size})
	if r.span() > size || r.span() < size-segmentOverhead || r.first < base || r.end < r.first {
		t.Errorf("chunks from %#x to %#x", r.first, r.end)
	}
	if !r.holds(base) || !r.holds(^raw.Addr(0)) || r.holds(base-1) || r.holds(0) {
		t.Error("the segment does not know its bounds")
	}
}
