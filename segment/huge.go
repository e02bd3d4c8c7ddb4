package segment

// hugePage is the size from which segments are worth huge pages, and of such a page
// on most systems.
const hugePage = 2 << 20

// huge passes calls on to up and advises huge pages.
type huge struct{ up Provider }

// Huge returns a provider over up that advises the system to back segments of 2 MiB
// and more with huge pages. They save page faults and misses of the translation
// cache where a heap uses all of its memory, and cost memory where it does not, since
// they become resident as a whole; and the first use of one waits until all of it has
// been cleared. So nothing of this package uses them unless told to, and
// docs/DESIGN.md has what they have been seen to bring:
//
//	cache := segment.NewCache(segment.Huge(segment.OS()), 1<<30)
//
// It belongs beneath a [Cache], where a mapping is advised once and not with each use.
// It is advice, on Linux only: elsewhere, or where the system does not follow it, Huge
// is up.
func Huge(up Provider) Provider { return huge{up} }

// advise asks for huge pages behind s.
func (h huge) advise(s Segment) {
	if s.Size >= hugePage {
		adviseHuge(s)
	}
}

// Acquire implements [Provider].
func (h huge) Acquire(min, max int) (Segment, error) {
	s, err := h.up.Acquire(min, max)
	if err == nil {
		h.advise(s)
	}
	return s, err
}

// Release implements [Provider].
func (h huge) Release(s Segment) error { return h.up.Release(s) }

// ReleaseMany implements [ManyReleaser].
func (h huge) ReleaseMany(ss []Segment) ([]Segment, error) { return ReleaseMany(h.up, ss) }

// Resize implements [Resizer]. What a segment grows by is advised too.
func (h huge) Resize(s Segment, min, max int, fixed bool) (Segment, error) {
	r, err := Resize(h.up, s, min, max, fixed)
	if err == nil && r.Size > s.Size {
		h.advise(r)
	}
	return r, err
}

// Join implements [Joiner].
func (h huge) Join(a, b Segment) (Segment, error) { return Join(h.up, a, b) }

// Split implements [Joiner].
func (h huge) Split(s Segment, n int) (front, rest Segment, err error) { return Split(h.up, s, n) }

// Discard implements [Discarder]. Of a huge page of which a part is discarded the
// rest stays resident.
func (h huge) Discard(s Segment, off, n int) error { return Discard(h.up, s, off, n) }

// Commit implements [Committer].
func (h huge) Commit(s Segment, off, n int) error { return Commit(h.up, s, off, n) }

// NeedsCommit implements [NeedsCommitter].
func (h huge) NeedsCommit() bool { _, ok := CommitterOf(h.up); return ok }

// Quarantine implements [Quarantiner].
func (h huge) Quarantine(s Segment) error { return Quarantine(h.up, s) }

// Protect implements [Protector].
func (h huge) Protect(s Segment, off, n int, inaccessible bool) error {
	return Protect(h.up, s, off, n, inaccessible)
}

// Drain implements [Drainer].
func (h huge) Drain() error { return Drain(h.up) }
