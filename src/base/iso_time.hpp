#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

// Times as people and programs write them.
namespace belfry::base {

// 0001-01-01T00:00:00Z.
inline constexpr Timestamp year_one{-62'135'596'800'000'000};

// Reads an ISO 8601 time with an offset, from `earliest` to the year 9999; returns nothing for anything else. Dates are
// calendar, ordinal or week dates; date, time and offset may be in basic or extended format. The time may end with the
// hour, the minute or the second; a blank may stand for the T. Digits beyond microseconds are cut.
std::optional<Timestamp> parse_timestamp_from(Timestamp earliest, std::string_view text);

// True if the text is a time as RFC 3339 writes it, from 1970 to 9999.
bool is_rfc3339(std::string_view text);

}  // namespace belfry::base
