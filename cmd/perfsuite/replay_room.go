package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/report"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/subject"
	"github.com/cookmem-go/cookmem/cmd/perfsuite/internal/tape"
	"github.com/cookmem-go/cookmem/stream"
)

const (
	// tapesMost is how many bytes the tapes of a replay may have together: 170
	// million events.
	tapesMost = 4 << 30

	// floorMost is how many bytes a stream may ask for in all to be played on the
	// floor, which frees nothing.
	floorMost = 4 << 30

	replaySlot  = 16 // bytes per block in the table of a player, at most
	replayBlock = 32 // of a small block beyond what it was asked for, about
)

// replayRoom is what the streams of a replay may cost. They come from anywhere, and
// few bytes of a file can ask for very much.
type replayRoom struct {
	available int64  // bytes of memory, or 0 where that is not known
	tapes     int64  // bytes for all tapes that are still to be made
	reason    string // what limited them
	limit     int64  // what they were at first
}

// newReplayRoom bounds the tapes in a folder. Each is loaded by the process that
// plays it.
func newReplayRoom(r room, dir string) replayRoom {
	p := replayRoom{available: r.available, tapes: tapesMost, reason: "the most that all streams of a replay may take"}
	if half := r.available / 2; r.available != 0 && half < p.tapes {
		p.tapes, p.reason = half, "half of the memory that is available"
	}
	if free, known := freeSpace(dir); known && free/2 < p.tapes {
		p.tapes, p.reason = free/2, "half of the space for temporary files"
	}
	p.limit = p.tapes
	return p
}

// makeTape makes the tape of a stream, as far as there is room, and takes its bytes
// from that.
func (p *replayRoom) makeTape(file string, r *stream.Reader) (tape.Made, error) {
	made, err := tape.Make(file, r, p.tapes)
	if errors.Is(err, tape.ErrLong) {
		err = fmt.Errorf("%w; tapes may have %s, %s", err, report.Size(p.limit), p.reason)
	}
	p.tapes -= made.Size
	return made, err
}

// replayNeed returns how much memory a subject takes for a stream, about, with the
// tape and the player's table.
func replayNeed(subject string, m *tape.Made) int64 {
	blocks := m.Peak
	switch subject {
	case "goheap":
		blocks = 2 * m.Padded // it collects when half of it is garbage
	case "floor", "modernc":
		blocks = m.Padded
	}
	return blocks + m.Slots*(replayBlock+replaySlot) + m.Size
}

// mustPlay returns an error if some subject has no room for a stream. The floor is
// left out instead.
func (c *config) mustPlay(m *tape.Made, p *replayRoom) error {
	most := int64(floorMost)
	if p.available != 0 {
		most = min(most, p.available/2)
	}
	if m.Asked > most {
		if err := c.dropFloor(m.Asked); err != nil {
			return err
		}
	}
	for _, s := range c.subjects {
		if need := replayNeed(s.Name, m); p.available != 0 && need > p.available {
			return fmt.Errorf("%s live take about %s on %s, and %s of memory is available", describeLive(m), report.Size(need), s.Name, report.Size(p.available))
		}
	}
	return nil
}

// describeLive says what is live at most.
func describeLive(m *tape.Made) string {
	text := fmt.Sprintf("up to %s in %s blocks", report.Size(m.Peak), report.Number(int(m.Slots)))
	if m.Padded > m.Peak {
		text += fmt.Sprintf(" (%s with their alignments)", report.Size(m.Padded))
	}
	return text
}

// dropFloor leaves the floor out of the comparison, if it is in it.
func (c *config) dropFloor(bytes int64) error {
	const name = "floor"
	if !slices.ContainsFunc(c.subjects, named(name)) {
		return nil
	}
	if c.base == name {
		return errors.New("the base floor frees nothing, and cannot play a stream that asks for " + report.Size(bytes))
	}
	c.subjects = slices.DeleteFunc(slices.Clone(c.subjects), func(s subject.Subject) bool { return s.Name == name })
	c.problems = append(c.problems, errors.New("no floor: it frees nothing, and a stream asks for "+report.Size(bytes)+" in all"))
	return nil
}
