package memctx

// siblings are the children of one context, oldest first: a list linked through their
// families, from which each leaves at the same small cost. Requests end in any order,
// and a tenant can have many at a time.
type siblings struct{ oldest, newest *Context }

func (s *siblings) empty() bool { return s.oldest == nil }

// add puts c, which is in no list, behind all others.
func (s *siblings) add(c *Context) {
	c.family.older, c.family.newer = s.newest, nil
	if s.newest == nil {
		s.oldest = c
	} else {
		s.newest.family.newer = c
	}
	s.newest = c
}

// remove takes c, which must be in the list, out of it.
func (s *siblings) remove(c *Context) {
	older, newer := c.family.older, c.family.newer
	if older == nil {
		s.oldest = newer
	} else {
		older.family.newer = newer
	}
	if newer == nil {
		s.newest = older
	} else {
		newer.family.older = older
	}
	c.family.older, c.family.newer = nil, nil
}

// all returns those that are in the list now, oldest first.
func (s *siblings) all() (cs []*Context) {
	for c := s.oldest; c != nil; c = c.family.newer {
		cs = append(cs, c)
	}
	return cs
}
