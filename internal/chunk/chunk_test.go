package chunk

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/internal/raw"
)

func TestHead(t *testing.T) {
	for _, size := range []uintptr{0, Min, Min + Align, 4096, 1 << 20, Limit - Align} {
		for _, state := range []Head{Free, InUse, Cached, Trailed} {
			for _, p := range []Head{0, P} {
				h := Make(size, state|p)
				if h.Size() != size || h.State() != state || h.PrevInUse() != (p != 0) || h.IsFence() || h >= Limit {
					t.Errorf("Make(%#x, %b) = %#x: %v", size, state|p, uintptr(h), h)
				}
			}
		}
	}
}

func TestFence(t *testing.T) {
	for _, span := range []uintptr{0, Min, 4096, 1<<30 - Align} {
		for _, p := range []Head{0, P} {
			f := MakeFence(span) | p
			if !f.IsFence() || f.Span() != span || f.PrevInUse() != (p != 0) || f.State() != InUse || f < Limit {
				t.Errorf("fence of %#x is %#x: %v", span, uintptr(f), f)
			}
		}
	}
}

// TestTags requires that a head read with any tag but its own is above Limit,
// and no fence either.
func TestTags(t *testing.T) {
	if raw.Word == 4 {
		if TagOf(7) != 0 {
			t.Error("there is no room for a tag in 32 bits")
		}
		return
	}
	memory := make([]byte, Min)
	defer runtime.KeepAlive(memory)
	c := raw.SliceAddr(memory)
	mine := TagOf(1)
	heads := []Head{0, Make(Min, P|InUse), Make(Limit-Align, P|Cached), MakeFence(Limit / 2)}
	for _, h := range heads {
		Write(c, mine, h)
		if Read(c, mine) != h {
			t.Fatalf("%v comes back as %v", h, Read(c, mine))
		}
		for n := range uint64(0xffff) {
			tag := TagOf(n)
			if tag == 0 || uint64(tag)&(2*uint64(Limit)-1) != 0 {
				t.Fatalf("tag %d is %#x", n, tag)
			}
			if got := Read(c, tag); tag != mine && (got < Limit || got.IsFence()) {
				t.Fatalf("%v read with tag %#x is %v", h, tag, got)
			}
		}
	}
}

func TestNeighbours(t *testing.T) {
	memory := make([]byte, 256)
	defer runtime.KeepAlive(memory)
	tag := TagOf(99)
	c := raw.SliceAddr(memory)
	b := Block(c)
	if b != c+Header || OfBlock(b) != c {
		t.Errorf("block of %#x is %#x", c, b)
	}
	WriteFree(c, tag, 64)
	if h := Read(c, tag); h != Make(64, P) || h.State() != Free {
		t.Errorf("the head is %v", h)
	}
	if got := Foot(c + 64); got != 64 {
		t.Errorf("the foot tells %d", got)
	}
	if raw.Load(c+64) != 0 {
		t.Error("WriteFree wrote behind the chunk")
	}
	Bury(c, tag)
	if h := Read(c, tag); h != 0 || h.State() != Free || Plausible(h.Size()) {
		t.Errorf("the tombstone is %v", h)
	}
}

func TestPlausible(t *testing.T) {
	for _, size := range []uintptr{Min, Min + Align, 4096, Limit} {
		if !Plausible(size) {
			t.Errorf("Plausible(%d) = false", size)
		}
	}
	for _, size := range []uintptr{0, 1, Align, Min - Align, Min + 1, Min + Align/2, 4096 + Header} {
		if Plausible(size) {
			t.Errorf("Plausible(%d) = true", size)
		}
	}
}

// TestLayout compares constants that belong together.
func TestLayout(t *testing.T) {
	if Header != raw.Word || Align%(2*raw.Word) != 0 || Min%Align != 0 || flags >= Align {
		t.Error("a head does not fit its chunk")
	}
	if Min < Header+3*raw.Word {
		t.Error("a free chunk has no room for two links and a foot")
	}
	if uint64(TagOf(0))&(2*uint64(Limit)-1) != 0 {
		t.Error("tags and fences overlap")
	}
}

func TestString(t *testing.T) {
	for h, want := range map[Head]string{
		Make(64, P|InUse):  "in use of 64 bytes (chunk before in use)",
		Make(64, Free):     "free of 64 bytes (chunk before free)",
		Make(64, P|Cached): "cached of 64 bytes",
		Make(64, Trailed):  "in use with trailer of 64 bytes",
		MakeFence(4096):    "a fence of 4096 bytes",
	} {
		if got := fmt.Sprint(h); !strings.HasPrefix(got, want) {
			t.Errorf("%#x is %q, want %q", uintptr(h), got, want)
		}
	}
}

// TestPlainSize asks for every state under every tag.
func TestPlainSize(t *testing.T) {
	memory := make([]byte, 2*Min)
	defer runtime.KeepAlive(memory)
	c := raw.SliceAddr(memory)
	for _, size := range []uintptr{Min, 4096, Limit - Align} {
		for _, h := range []Head{Make(size, C), Make(size, P|C), Make(size, Free), Make(size, P), Make(size, Cached), Make(size, P|Cached), Make(size, Trailed), MakeFence(size) | P} {
			for n := range uint64(200) {
				Write(c, TagOf(n), h)
				want := uintptr(0)
				if h.State() == InUse && !h.IsFence() {
					want = size
				}
				if got := PlainSize(Block(c), TagOf(n)); got != want {
					t.Fatalf("%v has plain size %#x, want %#x", h, got, want)
				}
				if HasClasses {
					if got := PlainSize(Block(c), TagOf(n+1)); got != 0 {
						t.Fatalf("%v of another tag has plain size %#x", h, got)
					}
				}
			}
		}
	}
	Write(c, TagOf(1), Make(48, P|C))
	for class := range uint8(3) {
		SetLive(Block(c), class)
		if got := PlainSize(Block(c), TagOf(1)); got != 48 {
			t.Errorf("live with class %d: plain size %d", class, got)
		}
	}
	SetCached(Block(c), 3)
	if got := PlainSize(Block(c), TagOf(1)); got != 0 {
		t.Errorf("cached: plain size %d", got)
	}
}
