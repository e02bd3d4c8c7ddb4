package offheap_test

import (
	"errors"
	"fmt"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/offheap"
)

// point is a type without Go pointers.
type point struct{ X, Y int32 }

func ExampleNew() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		p, err := offheap.New[point](mc)
		if err != nil {
			return err
		}
		p.Y = 7
		fmt.Println(*p)
		return nil
	}) // the context is closed, and the point gone
	fmt.Println(err)
	// Output:
	// {0 7}
	// <nil>
}

func ExampleFree() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		p, err := offheap.New[point](mc)
		if err != nil {
			return err
		}
		fmt.Println("blocks:", mc.Stats().Blocks)
		offheap.Free(mc, p)
		fmt.Println("blocks:", mc.Stats().Blocks)
		return nil
	})
	fmt.Println(err)
	// Output:
	// blocks: 1
	// blocks: 0
	// <nil>
}

func ExampleMakeSlice() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		s, err := offheap.MakeSlice[float64](mc, 3, 1000)
		if err != nil {
			return err
		}
		fmt.Println(s, cap(s))
		_, err = offheap.MakeSlice[float64](mc, -1, 1000)
		fmt.Println("negative:", errors.Is(err, memctx.ErrSize))
		return nil
	})
	fmt.Println(err)
	// Output:
	// [0 0 0] 1000
	// negative: true
	// <nil>
}

func ExampleAppend() {
	err := memctx.Scope(nil, func(mc *memctx.Context) (err error) {
		var squares []int64
		for i := range int64(100) {
			if squares, err = offheap.Append(mc, squares, i*i); err != nil {
				return err
			}
		}
		fmt.Println(squares[:5], len(squares), "in", mc.Stats().Blocks, "block")
		offheap.FreeSlice(mc, squares)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [0 1 4 9 16] 100 in 1 block
	// <nil>
}

// Where there is room the builtin append does not move a slice.
func ExampleGrow() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		points, err := offheap.Grow[point](mc, nil, 100)
		if err != nil {
			return err
		}
		for i := range int32(100) {
			points = append(points, point{i, -i})
		}
		fmt.Println(points[99])
		offheap.FreeSlice(mc, points) // faults if the slice has moved
		return nil
	})
	fmt.Println(err)
	// Output:
	// {99 -99}
	// <nil>
}

// The builtin append moves a slice that is full to the Go heap.
func ExampleFreeSlice() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		s, err := offheap.MakeSlice[int](mc, 10, 10)
		if err != nil {
			return err
		}
		moved := append(s, 11)
		func() {
			defer func() { fmt.Println(errors.Is(recover().(*diag.Fault), diag.Foreign)) }()
			offheap.FreeSlice(mc, moved)
		}()
		offheap.FreeSlice(mc, s)
		fmt.Println("blocks:", mc.Stats().Blocks)
		return nil
	})
	fmt.Println(err)
	// Output:
	// true
	// blocks: 0
	// <nil>
}

// A function that takes a Heap works in a context and in a locked one.
func ExampleHeap() {
	fibonacci := func(h offheap.Heap, n int) ([]int, error) {
		s, err := offheap.MakeSlice[int](h, n, n)
		for i := range s {
			s[i] = 1
			if i > 1 {
				s[i] = s[i-1] + s[i-2]
			}
		}
		return s, err
	}
	mc, err := memctx.NewLocked(&memctx.Options{Name: "shared"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mc.Close()
	fmt.Println(fibonacci(mc, 8))
	// Output:
	// [1 1 2 3 5 8 13 21] <nil>
}

func ExampleTypeError() {
	type person struct {
		Born int
		Name struct{ First, Last string }
	}
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		_, err := offheap.New[person](mc)
		return err
	})
	fmt.Println(err)

	var refused *offheap.TypeError
	if errors.Is(err, offheap.ErrType) && errors.As(err, &refused) {
		fmt.Println(refused.Path, "is a", refused.Holder)
	}
	// Output:
	// offheap: type offheap_test.person holds a Go pointer in field Name.First (string)
	// Name.First is a string
}

func ExampleRefOf() {
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		points, err := offheap.MakeSlice[point](mc, 10, 10)
		if err != nil {
			return err
		}
		third := offheap.RefOf(&points[3])
		third.Get().X = 42
		fmt.Println(points[3], offheap.RefOf[point](nil))
		return nil
	})
	fmt.Println(err)
	// Output:
	// {42 0} 0
	// <nil>
}

// expr is a node of an expression: a number, or two expressions with an operator
// between them. Its links are no Go pointers, so that it can live outside the Go
// heap.
type expr struct {
	op          byte // '+' or '*', 0 for a number
	value       int
	left, right offheap.Ref[expr]
}

// parser reads sums of products of digits.
type parser struct {
	mc   *memctx.Context
	text string
}

// binary reads operands with the operator op between them.
func (p *parser) binary(op byte, operand func() (offheap.Ref[expr], error)) (offheap.Ref[expr], error) {
	left, err := operand()
	for err == nil && p.text != "" && p.text[0] == op {
		p.text = p.text[1:]
		var right offheap.Ref[expr]
		if right, err = operand(); err == nil {
			left, err = p.node(expr{op: op, left: left, right: right})
		}
	}
	return left, err
}

func (p *parser) sum() (offheap.Ref[expr], error)     { return p.binary('+', p.product) }
func (p *parser) product() (offheap.Ref[expr], error) { return p.binary('*', p.digit) }

func (p *parser) digit() (offheap.Ref[expr], error) {
	if p.text == "" || p.text[0] < '0' || p.text[0] > '9' {
		return 0, fmt.Errorf("no digit at the start of %q", p.text)
	}
	value := int(p.text[0] - '0')
	p.text = p.text[1:]
	return p.node(expr{value: value})
}

// node puts e into the context.
func (p *parser) node(e expr) (offheap.Ref[expr], error) {
	n, err := offheap.New[expr](p.mc)
	if err != nil {
		return 0, err
	}
	*n = e
	return offheap.RefOf(n), nil
}

// eval computes an expression.
func eval(r offheap.Ref[expr]) int {
	switch e := r.Get(); e.op {
	case '+':
		return eval(e.left) + eval(e.right)
	case '*':
		return eval(e.left) * eval(e.right)
	default:
		return e.value
	}
}

// A parser links its tree outside the Go heap. Nobody frees a node: all of them go
// with the context.
func ExampleRef() {
	err := memctx.Scope(&memctx.Options{Name: "expression", Limit: 1 << 20}, func(mc *memctx.Context) error {
		p := parser{mc, "1+2*3+4*5*6"}
		root, err := p.sum()
		if err != nil {
			return err // a text that needs more than 1 MiB for instance
		}
		fmt.Println(eval(root), "from", mc.Stats().Blocks, "nodes")
		return nil
	})
	fmt.Println(err)
	// Output:
	// 127 from 11 nodes
	// <nil>
}

// A list is walked by its links.
func ExampleRef_Get() {
	type cell struct {
		value int
		next  offheap.Ref[cell]
	}
	err := memctx.Scope(nil, func(mc *memctx.Context) error {
		var head offheap.Ref[cell]
		for i := range 4 {
			c, err := offheap.New[cell](mc)
			if err != nil {
				return err
			}
			*c = cell{i * i, head}
			head = offheap.RefOf(c)
		}
		for c := head.Get(); c != nil; c = c.next.Get() {
			fmt.Println(c.value)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 9
	// 4
	// 1
	// 0
	// <nil>
}
