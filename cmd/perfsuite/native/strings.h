// perf_1 to perf_4: vectors of strings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heap.h"
#include "numbers.h"

template <class H>
using String = std::basic_string<char, std::char_traits<char>, typename H::template Allocator<char>>;

template <class H>
using Strings = std::vector<String<H>, typename H::template Allocator<String<H>>>;

// sum_string returns a checksum over the ends of a string.
template <class S>
std::uint64_t sum_string(const S& s) {
    const auto byte = [&s](std::size_t i) { return static_cast<unsigned char>(s.c_str()[i]); };
    return mix(mix(s.size(), byte(0)), byte(std::max<std::size_t>(s.size(), 1) - 1));
}

template <class S>
std::uint64_t sum_strings(const S& all) {
    std::uint64_t sum = all.size();
    for (std::size_t i = 0; i < all.size(); i += stride(all.size())) sum = mix(sum, sum_string(all[i]));
    return sum;
}

// text is the string that perf_1 and perf_2 copy. It belongs to the caller and
// is made before the first run, so it is no part of the stream.
template <class H>
inline const String<H> text = [] {
    String<H> s;
    for (int i = 0; i < 200; i++) s += static_cast<char>('0' + i % 10);
    return s;
}();

template <class H>
void push_copies(const Bench& b, Strings<H>& all) {
    const auto copies = b.times(1'000'000);
    for (std::size_t i = 0; i < copies; i++) all.push_back(text<H>);
}

template <class H>
std::uint64_t perf_1(const Bench& b) {
    Strings<H> all;
    push_copies<H>(b, all);
    return sum_strings(all);
}

template <class H>
std::uint64_t perf_2(const Bench& b) {
    Strings<H> all;
    push_copies<H>(b, all);
    all.clear();
    push_copies<H>(b, all);
    return sum_strings(all);
}

template <class H>
void push_growing(const Bench& b, Strings<H>& all, String<H>& source) {
    const auto steps = b.times(10'000);
    for (std::size_t i = 0; i < steps; i++) {
        source += static_cast<char>('a' + i % 26);
        all.push_back(source);
    }
}

template <class H>
std::uint64_t perf_3(const Bench& b) {
    Strings<H> all;
    String<H> source;
    push_growing<H>(b, all, source);
    return sum_strings(all);
}

template <class H>
std::uint64_t perf_4(const Bench& b) {
    Strings<H> all;
    String<H> source;
    push_growing<H>(b, all, source);
    all.clear();
    source.clear();
    push_growing<H>(b, all, source);
    return sum_strings(all);
}
