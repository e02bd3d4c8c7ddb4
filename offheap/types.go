package offheap

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ErrType is what every [*TypeError] wraps: a type holds Go pointers.
var ErrType = errors.New("type holds Go pointers")

// TypeError tells that a type cannot live outside the Go heap since it holds a Go
// pointer, and where in the type that is. It wraps [ErrType].
type TypeError struct {
	Type   reflect.Type // the type that was refused
	Path   string       // from a value of it to the pointer: "Next.Name", "Keys[0]", or ""
	Holder reflect.Type // what is there: a string, a slice, a map, ...
}

// Error returns one line that names the type, the place and what is there.
func (e *TypeError) Error() string {
	switch {
	case e.Path == "":
		return fmt.Sprintf("offheap: type %v holds a Go pointer", e.Type)
	case e.Path[0] == '[':
		return fmt.Sprintf("offheap: type %v holds a Go pointer in element %s (%v)", e.Type, e.Path, e.Holder)
	}
	return fmt.Sprintf("offheap: type %v holds a Go pointer in field %s (%v)", e.Type, e.Path, e.Holder)
}

// Unwrap returns [ErrType].
func (e *TypeError) Unwrap() error { return ErrType }

// verdicts has a *TypeError for each type that was looked at, nil for those that
// hold no Go pointers.
var verdicts sync.Map

// accepted is a small cache in front of verdicts: addresses of descriptors of types
// without Go pointers, each in the slot that it has by its bits. A look into it is a
// part of what an allocation costs, one into the map a multiple (BenchmarkCheck).
// Descriptors of types that code is instantiated with stay where they are.
var accepted [256]atomic.Uintptr

// check returns the *TypeError for T, or nil.
func check[T any]() error {
	t := reflect.TypeFor[T]()
	d := descriptor(t)
	if slot(d).Load() == d {
		return nil
	}
	return verdict(t)
}

// descriptor returns the address behind t, which is the second word of the
// interface. By way of reflect.ValueOf it takes several times as long.
func descriptor(t reflect.Type) uintptr { return (*[2]uintptr)(unsafe.Pointer(&t))[1] }

// slot returns where a type's descriptor is remembered. Descriptors lie 32 bytes or
// more apart.
func slot(d uintptr) *atomic.Uintptr { return &accepted[d/32%uintptr(len(accepted))] }

// verdict is check for any type, whether it was looked at before or not.
func verdict(t reflect.Type) error {
	v, known := verdicts.Load(t)
	if !known {
		v, _ = verdicts.LoadOrStore(t, examine(t))
	}
	if e := v.(*TypeError); e != nil {
		return e
	}
	d := descriptor(t)
	slot(d).Store(d)
	return nil
}

// examine looks for the first Go pointer in a type.
func examine(t reflect.Type) *TypeError {
	if path, holder := pointerIn(t); holder != nil {
		return &TypeError{Type: t, Path: path, Holder: holder}
	}
	return nil
}

// pointerIn returns what in a value of type t is a Go pointer or holds one, and the
// path to it, or nil. Types end: what refers to itself does so by a pointer.
func pointerIn(t reflect.Type) (path string, holder reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if path, holder := pointerIn(f.Type); holder != nil {
				return join(f.Name, path), holder
			}
		}
		return "", nil
	case reflect.Array:
		if t.Len() == 0 {
			return "", nil
		}
		path, holder := pointerIn(t.Elem())
		return join("[0]", path), holder
	}
	if t.Kind() <= reflect.Complex128 { // booleans, integers, floats
		return "", nil
	}
	return "", t
}

// join puts a field or an element before the path that goes on from it.
func join(first, path string) string {
	if path == "" || path[0] == '[' {
		return first + path
	}
	return first + "." + path
}
