#pragma once

#include <cstdint>

#include "model/zone.hpp"

// What the clocks of a zone show, and when they show it. Seconds throughout: `instant_s` since 1970 in UTC, `wall_s`
// the same count read off a wall (a wall that shows 1970-01-01 00:01 is at 60, wherever it is).
namespace belfry::rules {

// A time during which nobody moves the clocks.
struct Stretch {
    std::int64_t begin_s = 0;
    std::int64_t end_s = 0;  // not part of it
    std::int32_t offset_s = 0;
};

// The stretch that holds the instant. The one before or after it may have the same offset.
Stretch stretch_at(const model::Zone& zone, std::int64_t instant_s);

// The latest wall time that the clocks have shown up to the instant, and at it. More than they show at it after they
// were set back.
std::int64_t latest_shown(const model::Zone& zone, std::int64_t instant_s);

// When a wall time comes: the first instant at which the clocks show it or something later.
struct Coming {
    enum class How : std::uint8_t {
        plain,
        after_gap,     // it was left out: the instant is that at which the clocks jumped over it
        first_of_two,  // the clocks show it once more, later
    };
    std::int64_t instant_s = 0;
    std::int32_t offset_s = 0;
    How how = How::plain;
};

// A later wall time never comes before an earlier one, and it comes after `instant_s` exactly if it is later than
// `latest_shown(zone, instant_s)`: so whoever goes from one to the next misses none and has none twice.
Coming when_shown(const model::Zone& zone, std::int64_t wall_s);

}  // namespace belfry::rules
