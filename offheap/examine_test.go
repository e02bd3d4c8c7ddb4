package offheap

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/cookmem-go/cookmem/internal/segtest"
)

// leaves are types of all kinds that have no parts of their own, as often without
// Go pointers as with one.
var leaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[Ref[string]](), reflect.TypeFor[string](), reflect.TypeFor[[]int](), reflect.TypeFor[map[int]int](), reflect.TypeFor[func()](),
	reflect.TypeFor[any](), reflect.TypeFor[chan int](), reflect.TypeFor[*int](), reflect.TypeFor[unsafe.Pointer](),
}

// randomType returns a type with structs and arrays in each other up to a depth.
func randomType(r *rand.Rand, depth int) reflect.Type {
	kind := r.IntN(4)
	if depth == 0 {
		kind = 3
	}
	switch kind {
	case 0, 1:
		var fields []reflect.StructField
		for i := range r.IntN(5) {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: randomType(r, depth-1)})
		}
		return reflect.StructOf(fields)
	case 2:
		return reflect.ArrayOf(r.IntN(3), randomType(r, depth-1))
	}
	if r.IntN(3) > 0 {
		return leaves[r.IntN(11)]
	}
	return leaves[r.IntN(len(leaves))]
}

// scanned returns how many bytes of a value of type t the collector looks at: the
// second word of a type's descriptor.
func scanned(t reflect.Type) uintptr {
	return *(*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&t), unsafe.Sizeof(uintptr(0)))), unsafe.Sizeof(uintptr(0))))
}

// TestExamineAgreesWithTheCollector compares the verdict on random types with what
// the collector would scan, and requires that only good types are remembered as
// such, however many share a slot.
func TestExamineAgreesWithTheCollector(t *testing.T) {
	r := rand.New(rand.NewPCG(segtest.Seed(t), 20))
	good, bad := 0, 0
	for range 3000 {
		typ := randomType(r, 4)
		for range 2 {
			err := verdict(typ)
			if holds := scanned(typ) > 0; holds != errors.Is(err, ErrType) {
				t.Fatalf("%v: the collector scans %d bytes, the verdict is %v", typ, scanned(typ), err)
			}
			d := descriptor(typ)
			if remembered := slot(d).Load() == d; remembered != (err == nil) {
				t.Fatalf("%v: remembered as good: %t, the verdict is %v", typ, remembered, err)
			}
			if err == nil {
				good++
			} else {
				bad++
			}
		}
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("%d types were good and %d bad", good, bad)
	}
}

// TestSteps requires that growth goes in steps of at most a half, and at least a
// third on the average, and that no size wraps.
func TestSteps(t *testing.T) {
	const largest = int(^uint(0) >> 1)
	for _, c := range [][2]int{
		{-1, -1}, {0, 0}, {1, 32}, {32, 32}, {33, 48}, {48, 48}, {49, 64}, {64, 64}, {65, 96}, {97, 128}, {1000, 1024}, {1025, 1536},
		{largest, largest}, {largest/4*3 + 2, largest/4*3 + 3}, {largest/4*3 + 4, largest/4*3 + 4}, {largest/2 + 2, largest/4*3 + 3},
	} {
		if got := withRoom(c[0]); got != c[1] {
			t.Errorf("withRoom(%d) = %d, want %d", c[0], got, c[1])
		}
	}
}
