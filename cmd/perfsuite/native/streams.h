// The twelve streams by number, and a tape.
#pragma once

#include <cstdint>

#include "blocks.h"
#include "containers.h"
#include "heap.h"
#include "numbers.h"
#include "strings.h"
#include "tape.h"

// Stream makes one run, from the first request to the last free, and returns
// its checksum.
using Stream = std::uint64_t (*)(const Bench&);

// stream returns the stream of perf_<test>, the tape if there is one, or null.
template <class H>
Stream stream(long test) {
    if (tape_steps != nullptr) return play_tape<H>;
    constexpr Stream all[] = {
        perf_1<H>, perf_2<H>, perf_3<H>, perf_4<H>,  perf_5<H>,  perf_6<H>,
        perf_7<H>, perf_8<H>, perf_9<H>, perf_10<H>, perf_11<H>, perf_12<H>,
    };
    return test >= 1 && test <= 12 ? all[test - 1] : nullptr;
}

// touch_tables makes the pages of the workloads' own tables resident, so that
// they count as there before the first run.
inline void touch_tables() {
    keys.fill(0);
    blocks.fill(nullptr);
    free_vectors<Plain>(most_vectors);
}
