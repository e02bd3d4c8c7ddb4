package segment

// Populate tells the system that the n bytes at offset off of s are about to be
// written, all of them and soon. Where it can, it makes their pages resident in one
// go, which costs less than as many page faults. It is advice: the contents stay
// as they are, nothing depends on it, and where there is no such call nothing
// happens. It is for memory that was never used.
func Populate(s Segment, off, n int) {
	if within(s, off, n) {
		populate(s, off, n)
	}
}
