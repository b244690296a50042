#pragma once

#include <cstdint>
#include <string>

namespace belfry::ports {

// Numbers that nobody can guess (of the machine) or that repeat from a seed (of the simulator).
class Random {
public:
    virtual ~Random() = default;
    virtual std::uint64_t next() = 0;

    // `count` bytes, for secrets.
    std::string bytes(std::size_t count);
};

}  // namespace belfry::ports
