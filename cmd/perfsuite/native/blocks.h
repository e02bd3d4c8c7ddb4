// perf_7 to perf_11: blocks from malloc.
#pragma once

#include <array>
#include <cstdint>

#include "heap.h"
#include "numbers.h"

constexpr std::size_t most_blocks = 100'000;

// blocks is the table of what is allocated. A place without a block is null, as
// all are between runs.
inline std::array<void*, most_blocks> blocks;

// byte is where a stream writes, to touch a page, or a checksum reads. Volatile,
// because a compiler may leave out what is written to a block that is freed.
inline volatile unsigned char& byte(void* block, std::size_t offset) {
    return static_cast<volatile unsigned char*>(block)[offset];
}

template <class H>
void* new_block(std::size_t n) {
    void* block = H::alloc(n);
    byte(block, 0) = static_cast<unsigned char>(n);
    return block;
}

template <class H>
void free_block(std::size_t i) {
    H::release(blocks[i]);
    blocks[i] = nullptr;
}

// free_blocks frees those of the first n blocks that are there, in order.
template <class H>
void free_blocks(std::size_t n) {
    for (std::size_t i = 0; i < n; i++)
        if (blocks[i] != nullptr) free_block<H>(i);
}

// sum_blocks returns a checksum over a byte in a sample of the first n blocks.
inline std::uint64_t sum_blocks(std::size_t n, std::size_t offset = 0) {
    std::uint64_t sum = n;
    for (std::size_t i = 0; i < n; i += stride(n))
        if (blocks[i] != nullptr) sum = mix(sum, byte(blocks[i], offset));
    return sum;
}

template <class H>
std::uint64_t perf_7(const Bench& b) {
    const auto n = b.times(most_blocks);
    for (std::size_t i = 0; i < n; i++) blocks[i] = new_block<H>(1024);
    const auto sum = sum_blocks(n);
    for (std::size_t i = 0; i < n; i += 2) free_block<H>(i);
    for (std::size_t i = 1; i < n; i += 2) free_block<H>(i);
    return sum;
}

template <class H>
void fill_holes(std::size_t n, Rand& rand) {
    for (std::size_t i = 0; i < n; i++)
        if (blocks[i] == nullptr) blocks[i] = new_block<H>(rand.between(256, 8192));
}

template <class H>
std::uint64_t perf_8(const Bench& b) {
    Rand rand;
    const auto n = b.times(20'000);
    fill_holes<H>(n, rand);
    for (int round = 0; round < 10; round++) {
        for (std::size_t i = 0; i < n; i++)
            if (rand.next() & 1) free_block<H>(i);
        fill_holes<H>(n, rand);
    }
    const auto sum = sum_blocks(n);
    free_blocks<H>(n);
    return sum;
}

template <class H>
std::uint64_t perf_9(const Bench& b) {
    constexpr std::size_t step = 64, end = 32'768;
    const auto n = b.times(1'000);
    for (std::size_t size = step; size <= end; size += step)
        for (std::size_t i = 0; i < n; i++) {
            blocks[i] = H::resize(blocks[i], size);
            byte(blocks[i], size - 1) = static_cast<unsigned char>(size);
        }
    const auto sum = sum_blocks(n, step - 1);
    free_blocks<H>(n);
    return sum;
}

template <class H>
std::uint64_t perf_10(const Bench& b) {
    constexpr std::size_t ring = 4, lo = 128 << 10, hi = 4 << 20;
    Rand rand;
    const auto turns = b.times(10'000);
    for (std::size_t turn = 0; turn < turns; turn++) {
        const auto i = turn % ring;
        if (blocks[i] != nullptr) free_block<H>(i);
        const auto n = rand.between(lo, hi);
        blocks[i] = new_block<H>(n);
        byte(blocks[i], n - 1) = static_cast<unsigned char>(turn);
    }
    const auto sum = sum_blocks(ring);
    free_blocks<H>(ring);
    return sum;
}

template <class H>
std::uint64_t perf_11(const Bench& b) {
    constexpr std::size_t ring = 1'024;
    Rand rand;
    const auto turns = b.times(1'000'000);
    for (std::size_t turn = 0; turn < turns; turn++) {
        const auto i = turn % ring;
        if (blocks[i] != nullptr) H::release(blocks[i]);
        blocks[i] = new_block<H>(rand.between(16, 2'047));
    }
    const auto sum = sum_blocks(ring);
    free_blocks<H>(ring);
    return sum;
}
