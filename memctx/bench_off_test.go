package memctx

import (
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/segment"
)

// calls are pairs of calls that together leave the heap as it was.
var calls = []struct {
	name string
	pair func(mc *Context, many []unsafe.Pointer)
}{
	{"small", func(mc *Context, _ []unsafe.Pointer) { p, _ := mc.Alloc(64); mc.Free(p) }},
	{"zeroed", func(mc *Context, _ []unsafe.Pointer) { p, _ := mc.AllocZeroed(8, 8); mc.Free(p) }},
	{"large", func(mc *Context, _ []unsafe.Pointer) { p, _ := mc.Alloc(20_000); mc.Free(p) }},
	{"aligned", func(mc *Context, _ []unsafe.Pointer) { p, _ := mc.AllocAligned(100, 64); mc.FreeSized(p, 100, 64) }},
	{"moving", func(mc *Context, _ []unsafe.Pointer) { p, _ := mc.Alloc(64); p, _ = mc.Realloc(p, 200); mc.Free(p) }},
	{"bytes", func(mc *Context, _ []unsafe.Pointer) { b, _ := mc.Bytes(64); mc.FreeBytes(b) }},
	{"many", func(mc *Context, many []unsafe.Pointer) { _ = mc.AllocMany(many, 64); mc.FreeMany(many) }},
	{"segment", func(mc *Context, _ []unsafe.Pointer) { p, _ := mc.Alloc(4 << 20); mc.Free(p) }},
}

func benchmarkCalls(b *testing.B, o Options) {
	o.Provider = segment.NewCache(segment.OS(), 64<<20)
	for _, c := range calls {
		b.Run(c.name, func(b *testing.B) {
			mc, err := New(&o)
			if err != nil {
				b.Fatal(err)
			}
			defer mc.Close()
			many := make([]unsafe.Pointer, 16)
			b.ReportAllocs()
			for range b.N {
				c.pair(mc, many)
			}
		})
	}
}

// BenchmarkOff is what calls cost in a context without diagnostics. make
// bench-off runs it with and without their code in the heap.
func BenchmarkOff(b *testing.B) { benchmarkCalls(b, Options{}) }

// deaf is an observer that does nothing.
type deaf struct{}

func (deaf) Observe(diag.Event) {}

// BenchmarkModes is what the same calls cost in each mode.
func BenchmarkModes(b *testing.B) {
	for _, m := range []struct {
		name    string
		options Options
	}{
		{"plain", Options{}}, {"observed", Options{Observer: deaf{}}}, {"exact", Options{ExactSize: true}},
		{"guard", Options{Guard: true}}, {"checked", Options{Checked: true}}, {"stacks", Options{Stacks: true}},
	} {
		b.Run(m.name, func(b *testing.B) { benchmarkCalls(b, m.options) })
	}
}
