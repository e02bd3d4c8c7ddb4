package bins

import (
	"testing"

	"github.com/cookmem-go/cookmem/internal/chunk"
)

// TestClassOfEveryRequest looks at every request that has a class.
func TestClassOfEveryRequest(t *testing.T) {
	last := uint8(chunk.Min / chunk.Align)
	if ForRequest(0) != last {
		t.Fatalf("no bytes have class %d, want %d", ForRequest(0), last)
	}
	for n := uint(0); n <= MaxRequest; n++ {
		class := ForRequest(n)
		size := SizeOf(class)
		least := max(chunk.Min, (uintptr(n)+chunk.Header+chunk.Align-1)&^(chunk.Align-1))
		switch {
		case class < last:
			t.Fatalf("%d bytes have class %d, one byte less has %d", n, class, last)
		case size < least:
			t.Fatalf("%d bytes need %d and have class %d of %d", n, least, class, size)
		case size-least > least/8 || least <= exactUnits*chunk.Align && size != least:
			t.Fatalf("%d bytes need %d: class %d of %d wastes too much", n, least, class, size)
		case class > last+1:
			t.Fatalf("%d bytes skip from class %d to %d", n, last, class)
		case least <= SizeOf(class-1) && class > chunk.Min/chunk.Align:
			t.Fatalf("%d bytes would fit class %d", n, class-1)
		}
		last = class
	}
	if last != Classes-1 {
		t.Errorf("the largest request has class %d of %d", last, Classes)
	}
}

// TestClassOfEveryChunk looks at every size of a chunk: its class is a fixed
// point.
func TestClassOfEveryChunk(t *testing.T) {
	count := 0
	for size := uintptr(chunk.Min); size <= MaxChunk; size += chunk.Align {
		class := ForChunk(size)
		if SizeOf(class) < size || ForChunk(SizeOf(class)) != class {
			t.Fatalf("%d bytes have class %d of %d, which has class %d", size, class, SizeOf(class), ForChunk(SizeOf(class)))
		}
		if IsClass(size) != (SizeOf(class) == size) {
			t.Fatalf("IsClass(%d) = %t", size, IsClass(size))
		}
		if IsClass(size) {
			count++
		}
		if IsClass(size + 1) {
			t.Fatalf("IsClass(%d) = true", size+1)
		}
	}
	if count != Classes-chunk.Min/chunk.Align {
		t.Errorf("%d sizes are classes, of %d", count, Classes)
	}
	for _, size := range []uintptr{0, chunk.Align, MaxChunk + chunk.Align, ^uintptr(0) &^ (chunk.Align - 1)} {
		if IsClass(size) {
			t.Errorf("IsClass(%d) = true", size)
		}
	}
}
