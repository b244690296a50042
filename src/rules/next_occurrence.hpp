#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "model/schedule.hpp"
#include "model/zone.hpp"
#include "rules/wall_clock.hpp"

namespace belfry::rules {

// One firing of a schedule.
struct Occurrence {
    base::Timestamp at;
    // The wall times that it stands for, in the seconds of rules/wall_clock.hpp. More than one only where the clocks
    // jump over several, or over some and onto one. None for an instant and for elapsed time.
    std::int64_t wall_times = 0;
    std::int64_t first_wall_s = 0;
    std::int64_t last_wall_s = 0;
    Coming::How how = Coming::How::plain;  // of the first of them

    bool operator==(const Occurrence&) const = default;
};

// The first firing after `after`, or nothing where there is none before the year 10000. Each wall time of a schedule
// fires exactly once: one that the clocks jump over at the instant of the jump, one that they show twice when they
// first do, and those that fall on one instant together (docs/decisions/0015-each-wall-time-once.md). A caller who
// passes the instant of the last firing gets strictly later ones and misses none, whatever his own clock does.
std::optional<Occurrence> next_occurrence(const model::Schedule& schedule, base::Timestamp after,
                                          const model::Zone& zone);

}  // namespace belfry::rules
