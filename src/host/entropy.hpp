#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ports/random.hpp"

namespace belfry::host {

// Numbers of the kernel that nobody can guess, fetched a few hundred at a time. Each thread needs one of its own, and a
// forked child must not go on with its parent's: both would draw the same numbers.
class Entropy final : public ports::Random {
public:
    ~Entropy() override;
    std::uint64_t next() override;

private:
    std::array<std::uint64_t, 256> words_{};
    std::size_t used_ = 256;
};

}  // namespace belfry::host
