package stream

// vacant is no size and no slot: all sizes and slots are above it. A slot without a
// block has it, or what is below it.
const vacant = -1

// pageSlots is the number of slots that are added at a time.
const pageSlots = 1 << 12

// slots have the sizes of the live blocks. They lie in pages, which are never copied
// when they become more: a stream of a few KiB can have very many. What is vacant
// makes a stack in the same place, each slot with a link to the one below, so that a
// block costs one number.
//
// The zero value has no slots.
type slots struct {
	pages []*[pageSlots]int
	used  int // slots that have had a block since the last clear
	live  int // of them, those that have one
	top   int // of the stack, plus one; 0 if it is empty
}

// at returns where the size of the block in a slot is, which must be below used.
func (s *slots) at(slot int) *int { return &s.pages[slot/pageSlots][slot%pageSlots] }

// take puts a block of n bytes into the slot that was vacated last, or into a new one.
// It returns vacant if there are too many.
func (s *slots) take(n int) (slot int) {
	if slot = s.top - 1; slot >= 0 {
		s.top = vacant - *s.at(slot)
	} else if slot = s.used; slot == MaxSlots {
		return vacant
	} else {
		if slot == len(s.pages)*pageSlots {
			s.pages = append(s.pages, new([pageSlots]int))
		}
		s.used++
	}
	*s.at(slot) = n
	s.live++
	return slot
}

// vacate takes the block out of a slot.
func (s *slots) vacate(slot int) {
	*s.at(slot) = vacant - s.top
	s.top = slot + 1
	s.live--
}

// clear vacates all slots. They are given out from 0 again.
func (s *slots) clear() { s.used, s.live, s.top = 0, 0, 0 }
