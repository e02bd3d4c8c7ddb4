// Playing a tape: a recorded allocation stream, as a file of steps that package
// tape makes. What is done to each block is told in package floor, player.go.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "blocks.h"
#include "heap.h"
#include "numbers.h"
#include "process.h"

// Kind says what to do in a step, as in package tape. The kinds about aligned
// blocks are of use where free needs to know.
enum class Kind : std::uint8_t { alloc, zeroed, aligned, resize, resize_aligned, release, release_aligned, reset, drop, drop_aligned };

struct Step {
    Kind kind;
    std::uint8_t log;  // log2 of the alignment, of the aligned kinds
    std::uint8_t unused[2];
    std::uint32_t slot;
    std::uint64_t n, old;  // bytes asked for, and bytes that the block had
};
static_assert(sizeof(Step) == 24, "steps are as package tape writes them");

struct TapeHeader {
    char magic[8];
    std::uint64_t slots, body, steps;
};

// The tape, and the table of its blocks. Both are pages of the system, resident
// before the first run, and no business of malloc's.
inline const Step* tape_steps;
inline std::uint64_t tape_length;
inline void** tape_blocks;

[[noreturn]] inline void fail_to_load(const char* path, const char* why) {
    std::fprintf(stderr, "%s %s\n", path, why);
    std::exit(1);
}

inline void load_tape(const char* path) {
    const int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail_to_load(path, "cannot be opened");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const auto* header = size < sizeof(TapeHeader) ? nullptr : static_cast<const TapeHeader*>(resident_pages(size, 0, file));
    close(file);
    if (header == nullptr || std::memcmp(header->magic, "CKMTAPE1", 8) != 0 || size != sizeof *header + header->steps * sizeof(Step))
        fail_to_load(path, "is no tape");
    tape_steps = reinterpret_cast<const Step*>(header + 1);
    tape_length = header->steps;
    const std::size_t table = std::max<std::uint64_t>(1, header->slots) * sizeof(void*);
    tape_blocks = static_cast<void**>(resident_pages(table, MAP_ANONYMOUS, -1));
    if (tape_blocks == nullptr) fail_to_load(path, "names more slots than there is memory for");
}

inline void write_block(void* block, std::size_t from, std::size_t n, unsigned char stamp) {
    if (n == 0) return;
    for (std::size_t i = from; i < n; i += 4096) byte(block, i) = stamp;
    byte(block, n - 1) = stamp;
}

inline std::uint64_t read_block(void* block, std::size_t n, std::uint64_t sum) {
    if (n == 0) return sum;
    const std::uint64_t first = byte(block, 0);
    return mix(sum, first << 8 | byte(block, n - 1));
}

inline std::uint64_t read_resized(void* block, std::size_t old, std::size_t n, std::uint64_t sum) {
    return read_block(block, n < old ? std::min<std::size_t>(n, 1) : old, sum);
}

// play_tape plays all steps, the drops at the end too: malloc has no other way.
template <class H>
std::uint64_t play_tape(const Bench&) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < tape_length; i++) {
        const Step& s = tape_steps[i];
        void*& block = tape_blocks[s.slot];
        const auto stamp = static_cast<unsigned char>(i);
        switch (s.kind) {
        case Kind::alloc:
            block = H::alloc(s.n);
            write_block(block, 0, s.n, stamp);
            break;
        case Kind::zeroed:
            block = H::zeroed(s.n);
            sum = read_block(block, s.n, sum);
            write_block(block, 0, s.n, stamp);
            break;
        case Kind::aligned:
            block = H::aligned(s.n, std::size_t{1} << s.log);
            write_block(block, 0, s.n, stamp);
            break;
        case Kind::resize:
            // realloc to nothing would free the block.
            block = s.n == 0 ? H::resize_to_nothing(block) : H::resize(block, s.n);
            sum = read_resized(block, s.old, s.n, sum);
            write_block(block, s.old, s.n, stamp);
            break;
        case Kind::resize_aligned:
            block = H::resize_aligned(block, s.old, s.n, std::size_t{1} << s.log);
            sum = read_resized(block, s.old, s.n, sum);
            write_block(block, s.old, s.n, stamp);
            break;
        case Kind::release:
        case Kind::release_aligned:
            sum = read_block(block, s.old, sum);
            H::release(block);
            break;
        case Kind::drop:
        case Kind::drop_aligned:
            H::release(block);
            break;
        case Kind::reset:
            break;  // the drops that follow do it
        }
    }
    return sum;
}
