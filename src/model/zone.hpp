#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belfry::model {

// No clock is further from UTC than this, which is what RFC 8536 allows; readers refuse what is.
inline constexpr std::int32_t zone_offset_s_max = 26 * 3600;

// From `at_s` (seconds since 1970 in UTC) on, the clocks of a zone are so far ahead of UTC.
struct ZoneChange {
    std::int64_t at_s = 0;
    std::int32_t offset_s = 0;

    bool operator==(const ZoneChange&) const = default;
};

// A moment that comes every year, in the three ways in which POSIX writes it.
struct YearlyMoment {
    enum class Kind : std::uint8_t {
        weekday_of_month,  // Mm.w.d: the w-th such weekday of the month; the fifth is the last
        day_but_leap,      // Jn: 1 to 365, where 29 February is never counted
        day,               // n: 0 to 365
    };
    Kind kind = Kind::weekday_of_month;
    unsigned month = 1;    // 1 to 12
    unsigned week = 1;     // 1 to 5
    unsigned weekday = 0;  // 0 is Sunday
    unsigned day = 0;
    std::int32_t time_s = 2 * 3600;  // after midnight of that day; from -167 h to 167 h

    bool operator==(const YearlyMoment&) const = default;
};

// What holds after the last known change, for ever.
struct ZoneTail {
    struct Summer {
        std::int32_t offset_s = 0;  // may be less than the standard one: Dublin has its summer time in winter
        YearlyMoment begins;        // by the clock of standard time
        YearlyMoment ends;          // by the clock of summer time

        bool operator==(const Summer&) const = default;
    };
    std::int32_t offset_s = 0;  // of standard time
    std::optional<Summer> summer;

    bool operator==(const ZoneTail&) const = default;
};

// The clocks of a place: how far they are ahead of UTC, and when that changes. A value; who reads it asks
// rules/wall_clock.hpp.
struct Zone {
    std::string name;                 // Europe/Berlin
    std::int32_t first_offset_s = 0;  // before the first change
    std::vector<ZoneChange> changes;  // in order, no two at the same second
    std::optional<ZoneTail> tail;     // from the last change on; without one that change holds

    bool operator==(const Zone&) const = default;
};

}  // namespace belfry::model
