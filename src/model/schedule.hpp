#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.hpp"

// When something is to happen, as it was meant. A wall time stays one: what instant it is depends on the zone's clocks
// of that day, and is asked again for every firing (rules/next_occurrence.hpp).
namespace belfry::model {

// What a clock on the wall shows: 07:00.
struct WallTime {
    unsigned hour = 0;
    unsigned minute = 0;

    bool operator==(const WallTime&) const = default;
};

std::string format_wall_time(WallTime time);

// By their numbers: 0 is Sunday.
inline constexpr std::array<std::string_view, 7> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// Once, at an instant.
struct AtInstant {
    base::Timestamp at;

    bool operator==(const AtInstant&) const = default;
};

// Elapsed time, whatever clocks show: at the anchor and every interval after it.
struct EveryInterval {
    base::Duration interval;
    base::Timestamp anchor;

    bool operator==(const EveryInterval&) const = default;
};

struct Daily {
    WallTime time;

    bool operator==(const Daily&) const = default;
};

struct Weekly {
    std::uint8_t weekdays = 0;  // bit 0 is Sunday
    WallTime time;

    bool operator==(const Weekly&) const = default;
};

// The minutes that a set of wall times has, a bit a value. rules::parse_cron makes it and sees to it that it comes.
struct WallPattern {
    std::uint64_t minutes = 0;   // 0 to 59
    std::uint32_t hours = 0;     // 0 to 23
    std::uint32_t days = 0;      // 1 to 31
    std::uint32_t months = 0;    // 1 to 12
    std::uint32_t weekdays = 0;  // 0 to 6; 0 is Sunday
    // What a day must be: of `days` and of `weekdays`, or of one of them.
    enum class Days : std::uint8_t { both, either };
    Days match = Days::both;

    bool operator==(const WallPattern&) const = default;
};

struct Cron {
    std::string text;  // as it was written
    WallPattern pattern;

    bool operator==(const Cron&) const = default;
};

struct Schedule {
    std::variant<AtInstant, EveryInterval, Daily, Weekly, Cron> when;
    std::string zone;  // IANA's name, of wall times; the others have none

    bool operator==(const Schedule&) const = default;
};

}  // namespace belfry::model
