package segment

// ring is a list of mappings, closed by a sentinel. A mapping is in one ring at
// a time, or in none while the upstream is asked about it.
type ring struct {
	head mapping
}

func (r *ring) init() { r.head.prev, r.head.next = &r.head, &r.head }

func (r *ring) empty() bool { return r.head.next == &r.head }

// front returns the mapping that is in the ring longest, or nil.
func (r *ring) front() *mapping {
	if r.empty() {
		return nil
	}
	return r.head.next
}

// moveBack makes m the last of the ring, wherever it was.
func (r *ring) moveBack(m *mapping) {
	m.moveBefore(&r.head)
}

// moveBefore puts m before at, in whose ring it is then, wherever it was.
func (m *mapping) moveBefore(at *mapping) {
	m.unlink()
	m.prev, m.next = at.prev, at
	m.prev.next, m.next.prev = m, m
}

// each calls f for every mapping in the ring until f returns false.
func (r *ring) each(f func(*mapping) bool) {
	for m := r.head.next; m != &r.head && f(m); m = m.next {
	}
}

// unlink takes m out of the ring it is in, if any.
func (m *mapping) unlink() {
	if m.next != nil {
		m.prev.next, m.next.prev = m.next, m.prev
		m.prev, m.next = nil, nil
	}
}
