// The two ways in which the streams reach malloc. Each stream is compiled for
// both: Plain is what is timed, plain calls and the standard allocator; Counted
// makes the same calls and counts them. So counting costs nothing in the time,
// and what is counted is the very text that was timed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

// Counts are the requests of one run, as in package work.
struct Counts {
    long long allocs = 0;    // new blocks, reallocations of nothing included
    long long reallocs = 0;  // reallocations of a present block
    long long frees = 0;     // blocks given back one by one
    long long bytes = 0;     // sizes asked for by allocs and reallocs
};

[[noreturn]] inline void fail_to_serve(std::size_t n) {
    std::fprintf(stderr, "malloc has no %zu bytes\n", n);
    std::exit(1);
}

inline void* served(void* block, std::size_t n) {
    if (block == nullptr) fail_to_serve(n);
    return block;
}

struct Plain {
    template <class T>
    using Allocator = std::allocator<T>;

    static void* alloc(std::size_t n) { return served(std::malloc(n), n); }
    static void* resize(void* block, std::size_t n) { return served(std::realloc(block, n), n); }
    static void release(void* block) { std::free(block); }

    // What follows is for tapes only.
    static void* zeroed(std::size_t n) { return served(std::calloc(1, n), n); }
    static void* aligned(std::size_t n, std::size_t align) {
        void* block = nullptr;
        return posix_memalign(&block, align, n) == 0 ? served(block, n) : served(nullptr, n);
    }
    static void* resize_to_nothing(void* block) { return resize(block, 1); }
    // realloc would not keep the alignment.
    static void* resize_aligned(void* block, std::size_t old, std::size_t n, std::size_t align) {
        void* moved = aligned(n, align);
        std::memcpy(moved, block, std::min(old, n));
        release(block);
        return moved;
    }
};

struct Counted {
    static inline Counts counts;

    // Allocator is what the containers get. It has no state, so it changes the
    // size of neither containers nor nodes.
    template <class T>
    struct Allocator {
        using value_type = T;

        Allocator() = default;
        template <class U>
        Allocator(const Allocator<U>&) noexcept {}

        T* allocate(std::size_t n) {
            count_alloc(n * sizeof(T));
            return std::allocator<T>().allocate(n);
        }
        void deallocate(T* block, std::size_t n) noexcept {
            counts.frees++;
            std::allocator<T>().deallocate(block, n);
        }
        template <class U>
        bool operator==(const Allocator<U>&) const noexcept {
            return true;
        }
        template <class U>
        bool operator!=(const Allocator<U>&) const noexcept {
            return false;
        }
    };

    static void* alloc(std::size_t n) {
        count_alloc(n);
        return Plain::alloc(n);
    }
    static void* resize(void* block, std::size_t n) {
        (block == nullptr ? counts.allocs : counts.reallocs)++;
        counts.bytes += static_cast<long long>(n);
        return Plain::resize(block, n);
    }
    static void release(void* block) {
        counts.frees++;
        Plain::release(block);
    }
    static void* zeroed(std::size_t n) {
        count_alloc(n);
        return Plain::zeroed(n);
    }
    static void* aligned(std::size_t n, std::size_t align) {
        count_alloc(n);
        return Plain::aligned(n, align);
    }
    static void* resize_to_nothing(void* block) {
        counts.reallocs++;
        return Plain::resize_to_nothing(block);
    }
    static void* resize_aligned(void* block, std::size_t old, std::size_t n, std::size_t align) {
        counts.reallocs++;
        counts.bytes += static_cast<long long>(n);
        return Plain::resize_aligned(block, old, n, align);
    }

private:
    static void count_alloc(std::size_t n) {
        counts.allocs++;
        counts.bytes += static_cast<long long>(n);
    }
};
