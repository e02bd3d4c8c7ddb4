package diag

import (
	"strings"
	"testing"
)

func TestLeakText(t *testing.T) {
	var d Stacks
	here := stackHere(&d)
	for _, c := range []struct {
		leak Leak
		want string
	}{
		{Leak{Blocks: 1, Bytes: 100, First: Block{Size: 100}}, "memctx: 1 block of 100 bytes not freed"},
		{Leak{Blocks: 3, Bytes: 60, First: Block{Size: 10}}, "memctx: 3 blocks of 60 bytes not freed, the first of 10"},
		{Leak{Blocks: 1, Bytes: 1, Stack: here}, "memctx: 1 block of 1 bytes not freed, allocated at\n" + strings.TrimSuffix(here.String(), "\n")},
	} {
		if got := c.leak.Error(); got != c.want {
			t.Errorf("the leak is\n%s\nwant\n%s", got, c.want)
		}
	}
}
