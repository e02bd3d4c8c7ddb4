// A crowd: small blocks that live at a time, as in package work. What is done to
// them is told in package floor, holder.go.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "blocks.h"
#include "heap.h"
#include "numbers.h"
#include "process.h"

constexpr std::uint64_t crowd_least = 16, crowd_most = 64;  // bytes of a block

struct Crowd {
    std::size_t live = 0, rounds = 0, replace = 0;
};

// Phases are what the parts of all rounds took, in seconds.
struct Phases {
    double fill = 0, replace = 0, release = 0;
};

// Holder holds a crowd. There is no counted way beside the plain one: the loops
// sum up what they ask for, as they do in Go, and cost the same there.
class Holder {
public:
    explicit Holder(const Crowd& crowd)
        : crowd_(crowd), blocks_(static_cast<void**>(resident_pages(crowd.live * sizeof(void*), MAP_ANONYMOUS, -1))) {
        if (blocks_ == nullptr) {
            std::fprintf(stderr, "there is no memory for a table of %zu blocks\n", crowd.live);
            std::exit(1);
        }
    }

    // time_round makes a round and returns a checksum over it. filled is called
    // when all blocks are live for the first time in it.
    template <class F>
    std::uint64_t time_round(Phases& phases, F filled) {
        phases.fill += timed([this] { fill(); });
        filled();
        phases.replace += timed([this] { replace(); });
        const auto sum = this->sum();
        phases.release += timed([this] { release(); });
        return sum;
    }

    const Counts& counts() const { return counts_; }

private:
    template <class F>
    static double timed(F part) {
        const auto start = std::chrono::steady_clock::now();
        part();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    void fill() {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < crowd_.live; i++) {
            const auto n = random_size();
            blocks_[i] = new_block<Plain>(n);
            bytes += n;
        }
        count_allocs(crowd_.live, bytes);
    }

    void replace() {
        std::size_t bytes = 0;
        for (std::size_t turn = 0; turn < crowd_.replace; turn++) {
            const auto i = rand_.between(0, crowd_.live - 1);
            Plain::release(blocks_[i]);
            const auto n = random_size();
            blocks_[i] = new_block<Plain>(n);
            bytes += n;
        }
        counts_.frees += static_cast<long long>(crowd_.replace);
        count_allocs(crowd_.replace, bytes);
    }

    void release() {
        for (std::size_t i = 0; i < crowd_.live; i++) {
            Plain::release(blocks_[i]);
            blocks_[i] = nullptr;
        }
        counts_.frees += static_cast<long long>(crowd_.live);
    }

    std::uint64_t sum() const {
        std::uint64_t sum = crowd_.live;
        for (std::size_t i = 0; i < crowd_.live; i += stride(crowd_.live)) sum = mix(sum, byte(blocks_[i], 0));
        return sum;
    }

    std::size_t random_size() { return rand_.between(crowd_least, crowd_most); }

    void count_allocs(std::size_t times, std::size_t bytes) {
        counts_.allocs += static_cast<long long>(times);
        counts_.bytes += static_cast<long long>(bytes);
    }

    Crowd crowd_;
    void** blocks_;  // the table, pages of the system and no business of malloc's
    Rand rand_;
    Counts counts_;
};
