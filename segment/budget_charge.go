package segment

import (
	"errors"
	"math"
)

// ask is a range to ask the upstream for, and what it may come to.
type ask struct{ min, max, most int }

// askWithin returns how to ask up for min to max bytes and get no more than left,
// and whether there is a way. One that may give more than max, as a fixed buffer
// does, is asked for exactly what is left, and else for what is needed.
func askWithin(up Provider, min, max, left int) (a ask, ok bool) {
	if left < min {
		return a, false
	}
	n := smaller(max, left)
	for _, a = range [...]ask{{min: min, max: n}, {min: n, max: n}, {min: min, max: min}} {
		if a.most = Most(up, a.min, a.max); a.most <= left {
			return a, true
		}
	}
	return a, false
}

// promiseAsk sets aside what the upstream may give for a range in [min, max] that it
// is about to be asked for, and returns that range.
func (b *Budget) promiseAsk(min, max int) (a ask, err error) {
	_, err = b.promise(min, min, Most(b.up, min, min), func(left int) (int, bool) {
		var ok bool
		a, ok = askWithin(b.up, min, max, left)
		return a.most, ok
	})
	return a, err
}

// promise sets aside what fits says of the bytes that are left, for a call that is
// about to ask the upstream, and returns how many bytes that are. size is what the
// call needs in one piece, for the veto; min is what it needs, and least what that
// comes to.
func (b *Budget) promise(size, min, least int, fits func(left int) (n int, ok bool)) (int, error) {
	t := b.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if err := b.refusal(size, min, least); err != nil {
			return 0, err
		}
		if n, ok := fits(b.left()); ok {
			for a := b; a != nil; a = a.parent {
				a.promised += n
			}
			return n, nil
		}
		t.settled.Wait()
	}
}

// refusal returns the error of the first budget, from b upwards, in which least
// bytes do not fit even if all that is promised should come to nothing. It tells
// min if that does not fit either.
func (b *Budget) refusal(size, min, least int) error {
	for a := b; a != nil; a = a.parent {
		if size > a.largest {
			return &LimitError{By: a.name, N: size, Limit: a.largest, Used: a.used, Veto: true}
		}
		if left := a.limit - a.used; left < min {
			return a.limitError(min)
		} else if left < least {
			return a.limitError(least)
		}
	}
	return nil
}

func (b *Budget) limitError(n int) error {
	return &LimitError{By: b.name, N: n, Limit: b.limit, Used: b.used}
}

// left returns the bytes that are neither out nor promised, of b and of every
// budget above it. It is negative after a limit was lowered.
func (b *Budget) left() int {
	left := math.MaxInt
	for a := b; a != nil; a = a.parent {
		left = smaller(left, a.limit-a.used-a.promised)
	}
	return left
}

// settle ends the promise of n bytes and charges size instead. If that is more
// than was promised and does not fit, nothing is charged, and it returns the
// refusal.
func (b *Budget) settle(n, size int) error {
	t := b.tree
	t.mu.Lock()
	for a := b; a != nil; a = a.parent {
		a.promised -= n
	}
	t.settled.Broadcast()
	if size > n {
		if err := b.overrun(size); err != nil {
			t.mu.Unlock()
			return err
		}
	}
	crossed := b.move(size)
	t.mu.Unlock()
	tell(crossed)
	return nil
}

// overrun returns the error of the first budget, from b upwards, in which size
// bytes do not fit beside what is used and promised.
func (b *Budget) overrun(size int) error {
	for a := b; a != nil; a = a.parent {
		if a.limit-a.used-a.promised < size {
			return a.limitError(size)
		}
	}
	return nil
}

// charge moves what is out by n bytes, which may be negative.
func (b *Budget) charge(n int) {
	b.tree.mu.Lock()
	crossed := b.move(n)
	b.tree.mu.Unlock()
	tell(crossed)
}

// move is charge for a caller that holds the lock. It returns what is to be told
// once the lock is open.
func (b *Budget) move(n int) (crossed []crossing) {
	for a := b; a != nil; a = a.parent {
		a.used += n
		a.peak = larger(a.peak, a.used)
		for _, m := range a.marks {
			if above := a.used >= m.at; above != m.above {
				m.above = above
				crossed = append(crossed, crossing{m, a.used})
			}
		}
	}
	return crossed
}

// giveBack releases a segment that was not charged. If the upstream refuses it
// is charged all the same, and tried again with each release and Drain.
func (b *Budget) giveBack(s Segment) {
	if b.up.Release(s) == nil {
		return
	}
	b.charge(s.Size)
	b.tree.mu.Lock()
	defer b.tree.mu.Unlock()
	b.tree.stuck = append(b.tree.stuck, stuckSegment{s, b})
}

// retry tries to give back what the upstream refused to take.
func (t *budgetTree) retry() (err error) {
	t.mu.Lock()
	stuck := t.stuck
	t.stuck = nil
	t.mu.Unlock()
	for _, s := range stuck {
		refused := s.budget.up.Release(s.Segment)
		if refused == nil {
			s.budget.charge(-s.Size)
			continue
		}
		err = errors.Join(err, refused)
		t.mu.Lock()
		t.stuck = append(t.stuck, s)
		t.mu.Unlock()
	}
	return err
}
