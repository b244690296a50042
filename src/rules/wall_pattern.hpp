#pragma once

#include <cstdint>
#include <optional>

#include "model/schedule.hpp"

namespace belfry::rules {

// The first wall time of the pattern after `wall_s` (as rules/wall_clock.hpp counts), or nothing before the year 10000.
// Goes from field to field: its cost does not grow with the minutes or days in between.
std::optional<std::int64_t> next_wall_time(const model::WallPattern& pattern, std::int64_t wall_s);

// The minute of every day; of those of the week whose bits are set.
model::WallPattern pattern_of(const model::Daily& daily);
model::WallPattern pattern_of(const model::Weekly& weekly);

inline constexpr std::uint32_t every_day = 0xFFFFFFFEU;
inline constexpr std::uint32_t every_month = 0x1FFEU;
inline constexpr std::uint32_t every_weekday = 0x7FU;

}  // namespace belfry::rules
