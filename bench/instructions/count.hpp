#pragma once

#include <cstdint>
#include <cstdio>

#ifdef BELFRY_CALLGRIND
#include <valgrind/callgrind.h>
#else  // without Debian's package `valgrind` the program runs every path and counts nothing
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace belfry::bench {

// How often an operation runs before its instructions are counted, and how often while they are.
struct Rounds {
    std::int64_t warm_up = 10;
    std::int64_t counted = 50;

    [[nodiscard]] std::int64_t all() const { return warm_up + counted; }
};

// Runs `operation(i)` for i from 0 to `rounds.all()` - 1. Callgrind dumps the instructions of the counted rounds under
// the name of the path. Prints the name and the number of counted operations as one line of JSON.
template <class Operation>
void count(const char* path, const Rounds& rounds, Operation&& operation) {
    for (std::int64_t i = 0; i < rounds.warm_up; ++i) operation(i);
    // A dump sets the counters to zero. CALLGRIND_ZERO_STATS leaves a part of them behind (valgrind 3.19).
    CALLGRIND_DUMP_STATS_AT("set-up");
    for (std::int64_t i = rounds.warm_up; i < rounds.all(); ++i) operation(i);
    CALLGRIND_DUMP_STATS_AT(path);
    std::printf("{\"path\":\"%s\",\"operations\":%lld}\n", path, static_cast<long long>(rounds.counted));
    std::fflush(stdout);
}

}  // namespace belfry::bench
