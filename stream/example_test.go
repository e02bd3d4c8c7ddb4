package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/stream"
)

// A service records what one of its contexts is asked for, here into memory
// instead of a file, and perfsuite replay plays it on other heaps.
func ExampleRecorder() {
	var file bytes.Buffer
	recorder, err := stream.NewRecorder(&file, "a cache of sessions")
	if err != nil {
		log.Fatal(err)
	}
	err = memctx.Scope(&memctx.Options{Observer: recorder}, func(mc *memctx.Context) error {
		session, err := mc.Alloc(200)
		if err != nil {
			return err
		}
		session, err = mc.Realloc(session, 300)
		mc.Free(session)
		return err
	})
	if err := errors.Join(err, recorder.Close()); err != nil {
		log.Fatal(err)
	}

	reader, err := stream.NewReader(&file)
	if err != nil {
		log.Fatal(err)
	}
	for {
		e, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Kind, e.Slot, e.N)
	}
	fmt.Println(reader.Source()+", at most", reader.Counts().Peak, "bytes live")
	// Output:
	// alloc 0 200
	// realloc 0 300
	// free 0 0
	// a cache of sessions, at most 300 bytes live
}

// record returns a stream of a few events.
func record() *bytes.Buffer {
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "by hand")
	if err != nil {
		log.Fatal(err)
	}
	a := w.Alloc(100, 0)
	b := w.Zeroed(5000)
	w.Realloc(a, 300)
	w.Free(b)
	w.Reset()
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return &file
}

// Whatever knows what a program asks for can write a stream, not only a context.
func ExampleWriter() {
	var file bytes.Buffer
	w, err := stream.NewWriter(&file, "a log of another allocator")
	if err != nil {
		log.Fatal(err)
	}
	for i := range 1000 {
		slot := w.Alloc(100+i%50, 0) // the block's name, used again when it is freed
		w.Free(slot)
	}
	fmt.Println(w.Close(), file.Len() < 5000, "bytes for 2000 events")
	// Output: <nil> true bytes for 2000 events
}

func ExampleReader() {
	reader, err := stream.NewReader(record())
	if err != nil {
		log.Fatal(err)
	}
	events := 0
	for _, err = reader.Next(); err == nil; _, err = reader.Next() {
		events++
	}
	fmt.Println(reader.Source(), events, err == io.EOF)

	_, err = stream.NewReader(bytes.NewReader([]byte("no stream at all")))
	fmt.Println(errors.Is(err, stream.ErrDamaged))
	// Output:
	// by hand 5 true
	// true
}

func ExampleEvent() {
	reader, err := stream.NewReader(record())
	if err != nil {
		log.Fatal(err)
	}
	live := map[int]int{} // bytes, by slot
	for e, err := reader.Next(); err == nil; e, err = reader.Next() {
		switch e.Kind {
		case stream.Alloc, stream.Zeroed, stream.Realloc:
			live[e.Slot] = e.N
		case stream.Free:
			delete(live, e.Slot)
		case stream.Reset:
			fmt.Println("live before the reset:", live)
		}
	}
	// Output: live before the reset: map[0:300]
}

func ExampleKind() {
	fmt.Println(stream.Alloc, stream.Zeroed, stream.Realloc, stream.Free, stream.Reset)
	// Output: alloc zeroed realloc free reset
}

func ExampleCounts() {
	reader, err := stream.NewReader(record())
	for err == nil {
		_, err = reader.Next()
	}
	counts := reader.Counts()
	fmt.Println(counts.Events(), "events,", counts.Bytes, "bytes asked for, at most", counts.Peak, "live")
	// Output: 5 events, 5400 bytes asked for, at most 5300 live
}
