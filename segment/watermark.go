package segment

import "slices"

// watermark is a level of a budget's use that somebody wants to hear of.
type watermark struct {
	at    int
	tell  func(used int)
	above bool
}

// crossing is a watermark that was crossed, and the bytes used then.
type crossing struct {
	mark *watermark
	used int
}

// Watch calls tell whenever the bytes used rise to at or above it, and whenever
// they fall below it again, with the bytes used at that moment. If at is reached
// already, the first call is that of the fall. Calls of several goroutines can
// overtake each other.
//
// The calls come from within the Acquire, Release or Resize that crossed the
// mark. They may use the budget, but not the context whose call it was: set a
// flag, or hand the work to a goroutine. They must not panic: whoever made the call
// would not learn what it has acquired or released. stop ends them; one that is under
// way may still come.
func (b *Budget) Watch(at int, tell func(used int)) (stop func()) {
	m := &watermark{at: at, tell: tell}
	b.tree.mu.Lock()
	defer b.tree.mu.Unlock()
	m.above = b.used >= at
	b.marks = append(b.marks, m)
	return func() {
		b.tree.mu.Lock()
		defer b.tree.mu.Unlock()
		b.marks = slices.DeleteFunc(b.marks, func(o *watermark) bool { return o == m })
	}
}

// tell makes the calls, without a lock.
func tell(crossed []crossing) {
	for _, c := range crossed {
		c.mark.tell(c.used)
	}
}
