#pragma once

#include "base/date.hpp"
#include "model/zone.hpp"

// Zones made by hand, for the tests of what reads them.
namespace belfry::rules {

inline constexpr std::int32_t hour_s = 3600;

inline std::int64_t second(std::string_view instant) {
    return base::parse_timestamp(instant)->us / base::seconds(1).us;
}

// CET-1CEST,M3.5.0,M10.5.0/3
inline model::Zone berlin() {
    model::ZoneTail::Summer summer{2 * hour_s, {}, {}};
    summer.begins.month = 3;
    summer.begins.week = 5;
    summer.ends.month = 10;
    summer.ends.week = 5;
    summer.ends.time_s = 3 * hour_s;
    return {"Europe/Berlin", hour_s, {}, model::ZoneTail{hour_s, summer}};
}

// Samoa left 30 December 2011 out.
inline model::Zone apia() {
    return {"Pacific/Apia", -10 * hour_s, {{second("2011-12-30T10:00:00Z"), 14 * hour_s}}, {}};
}

inline model::Zone utc() {
    return {"UTC", 0, {}, {}};
}

}  // namespace belfry::rules
