#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/schedule.hpp"

// Schedules as people write them (cron has rules/cron.hpp). Errors are of code invalid and say what stands there and
// what may, without a name before it: the caller knows how the field is called.
namespace belfry::rules {

inline constexpr base::Duration interval_min = base::seconds(1);
inline constexpr base::Duration interval_max = base::days(3660);

// 07:00, from 00:00 to 23:59.
base::Result<model::WallTime> parse_wall_time(std::string_view text);

// mon,thu@18:30 or mon-fri@07:00; days in any case.
base::Result<model::Weekly> parse_weekly(std::string_view text);

// 90s, 15m, 12h, 30d, within the limits above.
base::Result<base::Duration> parse_interval(std::string_view text);

// A line for a person: "every day at 07:00".
std::string describe(const model::Schedule& schedule);

}  // namespace belfry::rules
