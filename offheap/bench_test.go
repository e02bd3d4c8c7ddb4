package offheap

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
)

type benchNode struct {
	Left, Right Ref[benchNode]
	Value       int64
}

// BenchmarkNew compares a pair of New and Free with what it consists of, and with
// the other way to zeroes.
func BenchmarkNew(b *testing.B) {
	b.Run("node", pair[benchNode])
	b.Run("4KiB", pair[[leastKnown]byte])
}

func pair[T any](b *testing.B) {
	mc, err := memctx.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mc.Close()
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			p, _ := New[T](mc)
			Free(mc, p)
		}
	})
	b.Run("Alloc+clear", func(b *testing.B) {
		for b.Loop() {
			p, _ := mc.Alloc(sizeOf[T]())
			clear(unsafe.Slice((*byte)(p), sizeOf[T]()))
			mc.Free(p)
		}
	})
	b.Run("AllocZeroed", func(b *testing.B) {
		for b.Loop() {
			p, _ := mc.AllocZeroed(1, sizeOf[T]())
			mc.Free(p)
		}
	})
}

// BenchmarkCheck compares the look at a type that was seen before with that into
// the map.
func BenchmarkCheck(b *testing.B) {
	b.Run("accepted", func(b *testing.B) {
		for b.Loop() {
			if check[benchNode]() != nil {
				b.Fatal("refused")
			}
		}
	})
	b.Run("verdicts", func(b *testing.B) {
		for b.Loop() {
			if verdict(reflect.TypeFor[benchNode]()) != nil {
				b.Fatal("refused")
			}
		}
	})
}

// BenchmarkAppend appends one element to a slice that has room.
func BenchmarkAppend(b *testing.B) {
	mc, err := memctx.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mc.Close()
	s, err := MakeSlice[int64](mc, 0, 1)
	for b.Loop() {
		s, err = Append(mc, s[:0], 1)
	}
	if err != nil || len(s) != 1 {
		b.Fatal(err)
	}
}
