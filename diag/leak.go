package diag

import "fmt"

// Leak is the live blocks that were allocated at one place. It is an error, so
// that an [Event] can have it as such.
type Leak struct {
	Stack  *Stack // the place, nil if it was not recorded
	Blocks int    // number of blocks
	Bytes  int    // of them together, as Block.Size has it
	First  Block  // the one found first
}

// Error tells the leak in a line, and the stack, if there is one, below it.
func (l *Leak) Error() string {
	text := fmt.Sprintf("memctx: 1 block of %d bytes not freed", l.Bytes)
	if l.Blocks != 1 {
		text = fmt.Sprintf("memctx: %d blocks of %d bytes not freed, the first of %d", l.Blocks, l.Bytes, l.First.Size)
	}
	if l.Stack != nil {
		text += ", allocated at\n" + l.Stack.trimmed()
	}
	return text
}
