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
