package memctx

// mode is the one word that every call tests once. Zero means: an ordinary
// context that is open and idle, and the call may take its short way. Whatever
// else a context can be or do is a bit here and sends the call to its checked
// form.
type mode uint32

const (
	busy     mode = 1 << iota // a checked call is under way; short ones mark the list
	closed                    // Close has begun
	exact                     // every block has a trailer with its requested size
	guard                     // and guard bytes before and after
	reported                  // Close or Reset has reported a broken guard
	observed                  // an observer is told what calls do
)

// trailed are the modes in which every block has a trailer.
const trailed = exact | guard
