//go:build unix && !linux

package segment

import "errors"

// grow cannot be had: there is no portable mremap, and what lies behind a
// mapping is not ours to take.
func grow(s Segment, _ int, _ bool) (Segment, error) { return s, errors.ErrUnsupported }
