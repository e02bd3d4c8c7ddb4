package work

// Runner is one subject ready to run workloads. It is crossed a few times per
// run, never per request. It belongs to one goroutine. A heap that fails to
// serve a request makes Body panic with the heap's error.
type Runner interface {
	// Prepare makes everything ready that is not to be timed: the workload's
	// own tables and, for a subject that works on warm memory, that memory.
	Prepare(t Test)

	// Open starts a run on a new context, in subjects that have such.
	Open() error

	// Body runs the workload up to its last request before the final freeing
	// and returns its checksum.
	Body() (checksum uint64)

	// Finish frees one by one what Body left.
	Finish()

	// Close ends the run.
	Close() error

	// Forget makes the workload forget what Body left instead of freeing it;
	// Drop, called after it instead of Close, gives all of it back in one piece.
	Forget()
	Drop() error

	// Counts returns the requests since Open.
	Counts() Counts

	// Peak returns the most memory that the subject says it obtained from the
	// system in any run so far, in bytes, and whether it can say so.
	Peak() (bytes int64, known bool)
}

// Sample is the number of items that a checksum looks at, at most: enough to
// notice that data went astray, too few to be seen in the time.
const Sample = 1024

// Stride returns the step at which to go through n items so as to meet about
// [Sample] of them.
func Stride(n int) int { return max(1, n/Sample) }

// Mix adds v to a checksum. The order matters.
func Mix(sum, v uint64) uint64 { return (sum ^ v) * 0x100000001b3 }
