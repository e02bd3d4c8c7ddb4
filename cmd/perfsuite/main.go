package main

import (
	"fmt"
	"os"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/turn"
)

func main() {
	ordered, err := turn.Serve(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "perfsuite:", err)
		os.Exit(1)
	}
	if ordered {
		return
	}
}
