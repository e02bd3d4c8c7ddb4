// Package model runs a context beside a model of what it should do, and says
// where the two part.
//
// # Terms
//
// An [Op] is one call with its arguments. It is decoded from six bytes, so that
// a random generator and a fuzzer feed the same engine. The model of a heap is
// the list of its live blocks in the order of their addresses, each with the
// bytes that the user wrote to it. The bytes are not stored: they are a place
// in one long pattern, and writing or comparing a block is copying or comparing
// pieces of that pattern.
//
// # The invariant
//
// After each operation, whether it succeeded or not, the context holds exactly
// the blocks of the model. Blocks never overlap, are aligned, hold what was
// written, are as large as asked for; what came zeroed was zero; an error is
// one that the circumstances explain and has changed nothing; no limit is ever
// exceeded; and no request is refused while a free chunk could have served it.
//
// # How an operation moves
//
// [Model.Apply] chooses a block by the operation's index, calls the context,
// compares what came back, and fills the block anew. At intervals, and after
// every refusal, it compares everything: Check, Blocks, Stats, contents, and
// the books that are kept beneath the context over who owns which segment.
// Between the books and the source of memory sits a provider that fails when an
// operation tells it to. What an observer is told must add up to the same blocks and
// bytes. Contents are many bytes: where there is a bound to how many of them a
// comparison looks at, it goes on with the next blocks the next time. [Tally] counts
// what has happened, so that nobody believes in tests of what never does.
package model
