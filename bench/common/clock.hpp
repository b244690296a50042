#pragma once

#include <cstdint>
#include <ctime>

namespace belfry::bench {

inline constexpr std::int64_t second_ns = 1'000'000'000;
inline constexpr std::int64_t millisecond_ns = 1'000'000;

// Nanoseconds of the monotonic clock.
inline std::int64_t now_ns() {
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * second_ns + at.tv_nsec;
}

// Nanoseconds of processor time that this process has used. A load generator that used all of a core measured itself.
inline std::int64_t cpu_ns() {
    timespec at{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return at.tv_sec * second_ns + at.tv_nsec;
}

// The same of this thread alone.
inline std::int64_t thread_cpu_ns() {
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return at.tv_sec * second_ns + at.tv_nsec;
}

}  // namespace belfry::bench
