package memctx

import (
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"unsafe"
)

func TestSmoke(t *testing.T) {
	for _, k := range tree.Kinds() {
		for _, g := range []Options{{}, {ExactSize: true}, {Guard: true}, {Provider: segment.Heap()}} {
			g.Tree = k
			seed, every := uint64(1), 100
			if os.Getenv("EVERY") != "" {
				every = 1
			}
			if s := os.Getenv("COOKMEM_SEED"); s != "" {
				seed, _ = strconv.ParseUint(s, 10, 64)
			}
			r := rand.New(rand.NewPCG(seed, 2))
			mc, err := New(&g)
			if err != nil {
				t.Fatal(err)
			}
			type blk struct {
				p    unsafe.Pointer
				n    int
				fill byte
			}
			var live []blk
			check := func(b blk) {
				for i, x := range unsafe.Slice((*byte)(b.p), b.n) {
					if x != b.fill {
						t.Fatalf("byte %d of %d is %x", i, b.n, x)
					}
				}
			}
			fill := func(b blk) {
				s := unsafe.Slice((*byte)(b.p), b.n)
				for i := range s {
					s[i] = b.fill
				}
			}
			size := func() int {
				switch r.IntN(10) {
				case 0:
					return r.IntN(100000)
				case 1, 2:
					return r.IntN(10000)
				}
				return r.IntN(400)
			}
			lastN := 0
			_ = lastN
			for i := range 20000 {
				op := r.IntN(20)
				switch {
				case op < 9 || len(live) == 0:
					n := size()
					p, err := mc.Alloc(n)
					if err != nil {
						t.Fatal(err)
					}
					b := blk{p, n, byte(i)}
					fill(b)
					live = append(live, b)
				case op < 10:
					n := size()
					align := 1 << r.IntN(14)
					p, err := mc.AllocAligned(n, align)
					if err != nil {
						t.Fatal(err)
					}
					if uintptr(p)&uintptr(align-1) != 0 {
						t.Fatal("align")
					}
					b := blk{p, n, byte(i)}
					fill(b)
					live = append(live, b)
				case op < 13:
					j := r.IntN(len(live))
					n := size()
					p, err := mc.Realloc(live[j].p, n)
					if err != nil {
						t.Fatal(err)
					}
					b := blk{p, min(n, live[j].n), live[j].fill}
					check(b)
					b.n = n
					fill(b)
					live[j] = b
				case op < 14 && r.IntN(100) == 0:
					if err := mc.Trim(); err != nil {
						t.Fatal(err)
					}
				case op < 14 && r.IntN(300) == 0:
					if err := mc.Reset(); err != nil {
						t.Fatal(err)
					}
					live = live[:0]
				default:
					j := r.IntN(len(live))
					check(live[j])
					mc.Free(live[j].p)
					live[j] = live[len(live)-1]
					live = live[:len(live)-1]
				}
				if i%every == 0 {
					if err := mc.Check(); err != nil {
						t.Fatalf("step %d op %d %d: %v", i, op, lastN, err)
					}
					s := mc.Stats()
					if int(s.Blocks) != len(live) {
						t.Fatal("blocks", s.Blocks, len(live))
					}
				}
			}
			t.Logf("%+v", mc.Stats())
			if err := mc.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
