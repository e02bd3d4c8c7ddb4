// perf_5, perf_6 and perf_12: a list, a map and many vectors.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "heap.h"
#include "numbers.h"
#include "strings.h"

template <class H>
std::uint64_t perf_5(const Bench& b) {
    std::list<int, typename H::template Allocator<int>> queue;
    const auto length = static_cast<int>(b.times(100'000));
    for (int i = 0; i < length; i++) queue.push_back(i);
    for (int i = 0; i < 40 * length; i++) {
        queue.push_back(i);
        queue.pop_front();
    }
    std::uint64_t sum = 0;
    std::size_t seen = 0;
    for (auto i = queue.begin(); i != queue.end() && seen < sample; ++i, ++seen) sum = mix(sum, static_cast<std::uint64_t>(*i));
    return sum;
}

constexpr std::size_t most_keys = 60'000;

// keys are perf_6's own: they lie in static memory, as all tables of the twin
// do, so that the heap serves nothing but the stream.
inline std::array<std::int32_t, most_keys> keys;

inline void shuffle_keys(std::size_t n, Rand& rand) {
    for (std::size_t i = 0; i < n; i++) keys[i] = static_cast<std::int32_t>(i);
    for (std::size_t i = n - 1; i >= 1; i--) std::swap(keys[i], keys[rand.next() % (i + 1)]);
}

template <class H>
using Map = std::map<std::int32_t, String<H>, std::less<std::int32_t>,
                     typename H::template Allocator<std::pair<const std::int32_t, String<H>>>>;

// put inserts a key that is not in the map with a value of random length.
template <class M>
void put(M& map, std::int32_t key, Rand& rand) {
    static const std::array<char, 999> filler = [] {
        std::array<char, 999> a;
        a.fill('x');
        return a;
    }();
    const auto length = rand.between(0, filler.size());
    map.emplace(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple(filler.data(), length));
}

template <class M>
std::uint64_t sum_map(const M& map, std::size_t n) {
    std::uint64_t sum = n;
    for (std::size_t k = 0; k < n; k += stride(n)) {
        const auto& [key, value] = *map.find(static_cast<std::int32_t>(k));
        sum = mix(mix(sum, static_cast<std::uint64_t>(key)), sum_string(value));
    }
    return sum;
}

template <class H>
std::uint64_t perf_6(const Bench& b) {
    Map<H> map;
    Rand rand;
    const auto n = b.times(most_keys);
    shuffle_keys(n, rand);
    for (std::size_t i = 0; i < n; i++) put(map, keys[i], rand);
    for (std::size_t i = 0; i < n; i += 2) map.erase(map.find(keys[i]));
    for (std::size_t i = 0; i < n; i += 2) put(map, keys[i], rand);
    return sum_map(map, n);
}

constexpr std::size_t most_vectors = 10'000;

template <class H>
using Ints = std::vector<std::int32_t, typename H::template Allocator<std::int32_t>>;

// vectors are the headers of perf_12's vectors; they are empty between runs.
template <class H>
inline std::array<Ints<H>, most_vectors> vectors;

template <class H>
void free_vectors(std::size_t n) {
    for (std::size_t i = 0; i < n; i++) Ints<H>().swap(vectors<H>[i]);
}

template <class H>
std::uint64_t perf_12(const Bench& b) {
    const auto n = b.times(most_vectors);
    for (std::size_t round = 0; round < 256; round++)
        for (std::size_t i = 0; i < n; i++) vectors<H>[i].push_back(static_cast<std::int32_t>(round ^ i));
    std::uint64_t sum = n;
    for (std::size_t i = 0; i < n; i += stride(n)) {
        const auto& v = vectors<H>[i];
        sum = mix(sum, static_cast<std::uint64_t>(v[i % v.size()]));
    }
    free_vectors<H>(n);
    return sum;
}
