#include "host/system_clock.hpp"

#include <ctime>

namespace belfry::host {
namespace {

std::int64_t microseconds_of(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000;
}

}  // namespace

base::Timestamp SystemClock::now() const {
    return {microseconds_of(CLOCK_REALTIME)};
}

base::Duration SystemClock::monotonic() const {
    return {microseconds_of(CLOCK_MONOTONIC)};
}

}  // namespace belfry::host
