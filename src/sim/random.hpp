#pragma once

#include <array>
#include <cstdint>

#include "ports/random.hpp"

namespace belfry::sim {

// Numbers that repeat from a seed (xoshiro256**, filled by splitmix64). Each part of the made-up world has one of its
// own, so that a change in one part does not shift what the others draw.
class SeededRandom final : public ports::Random {
public:
    explicit SeededRandom(std::uint64_t seed);

    std::uint64_t next() override;

    // One of 0 … bound - 1; `bound` is at least 1.
    std::uint64_t below(std::uint64_t bound);
    // True once in `n` on average; never for 0.
    bool one_in(std::uint64_t n);
    bool percent(std::uint64_t chance) { return below(100) < chance; }
    // Another source, decided by this one.
    SeededRandom fork() { return SeededRandom(next()); }

private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace belfry::sim
