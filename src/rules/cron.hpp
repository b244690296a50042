#pragma once

#include <string_view>

#include "base/result.hpp"
#include "model/schedule.hpp"

namespace belfry::rules {

inline constexpr std::size_t cron_bytes_max = 256;

// Five fields as crontab has them: minute, hour, day of month, month, day of week. A field is a list of `*`, numbers
// and ranges, the last with steps (`*/15`, `1-5/2`); months and weekdays also by name, in any case; 0 and 7 are Sunday.
// Or one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually.
//
// Days as in Vixie's cron: where neither day field begins with `*`, a day of either; else a day of both.
//
// An error of code invalid says which field, what stands there and what may; also where the days never come.
base::Result<model::Cron> parse_cron(std::string_view text);

}  // namespace belfry::rules
