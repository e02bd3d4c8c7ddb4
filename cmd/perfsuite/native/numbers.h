// Random numbers and checksums, the same as in package work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Rand is the generator splitmix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014), in the state from which every run
// draws.
class Rand {
public:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    // between returns a number in [lo, hi], both ends included.
    std::size_t between(std::uint64_t lo, std::uint64_t hi) { return lo + next() % (hi - lo + 1); }

private:
    std::uint64_t state_ = 42;
};

// sample is the number of items that a checksum looks at, at most.
constexpr std::size_t sample = 1024;

// stride returns the step at which to go through n items so as to meet about
// sample of them.
inline std::size_t stride(std::size_t n) { return std::max<std::size_t>(1, n / sample); }

// mix adds v to a checksum. The order matters.
inline std::uint64_t mix(std::uint64_t sum, std::uint64_t v) { return (sum ^ v) * 0x100000001b3; }

// Bench says how long the streams are.
struct Bench {
    std::size_t scale = 1;  // divides the lengths; 1 is full

    std::size_t times(std::size_t n) const { return std::max<std::size_t>(1, n / scale); }
};
