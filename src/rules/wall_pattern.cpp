#include "rules/wall_pattern.hpp"

#include <bit>

#include "base/date.hpp"

namespace belfry::rules {
namespace {

constexpr std::int64_t minutes_per_day = 1440;

bool holds(std::uint64_t bits, unsigned value) {
    return (bits >> value & 1U) != 0;
}

// The first value from `from` on, or 64.
unsigned first_from(std::uint64_t bits, unsigned from) {
    return from >= 64 ? 64 : static_cast<unsigned>(std::countr_zero(bits >> from << from));
}

std::optional<std::int64_t> minute_from(const model::WallPattern& pattern, unsigned minute_of_day) {
    unsigned hour = minute_of_day / 60;
    unsigned minute = minute_of_day % 60;
    if (holds(pattern.hours, hour)) {
        minute = first_from(pattern.minutes, minute);
        if (minute < 60) return hour * 60 + minute;
    }
    hour = first_from(pattern.hours, hour + 1);
    if (hour >= 24) return std::nullopt;
    return hour * 60 + first_from(pattern.minutes, 0);
}

bool takes_day(const model::WallPattern& pattern, unsigned day, unsigned weekday) {
    const bool by_date = holds(pattern.days, day);
    const bool by_weekday = holds(pattern.weekdays, weekday);
    return pattern.match == model::WallPattern::Days::either ? by_date || by_weekday : by_date && by_weekday;
}

// The first of its days from this one on.
std::optional<std::int64_t> day_from(const model::WallPattern& pattern, std::int64_t from) {
    base::Date date = base::date_from_days(from);
    while (date.year < 10'000) {
        const unsigned month = first_from(pattern.months, date.month);
        if (month > 12) {
            date = {date.year + 1, 1, 1};
            continue;
        }
        if (month != date.month) date = {date.year, month, 1};
        const std::int64_t before_first = base::days_from_date({date.year, month, 1}) - 1;
        for (unsigned day = date.day; day <= base::days_in_month(date.year, month); ++day) {
            if (takes_day(pattern, day, base::weekday_of(before_first + day))) return before_first + day;
        }
        date = month == 12 ? base::Date{date.year + 1, 1, 1} : base::Date{date.year, month + 1, 1};
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> next_wall_time(const model::WallPattern& pattern, std::int64_t wall_s) {
    if (pattern.hours == 0 || pattern.minutes == 0) return std::nullopt;
    const std::int64_t from_minute = base::floor_divide(wall_s, 60) + 1;
    const std::int64_t today = base::floor_divide(from_minute, minutes_per_day);
    auto day = day_from(pattern, today);
    if (!day) return std::nullopt;
    auto minute =
        minute_from(pattern, *day == today ? static_cast<unsigned>(from_minute - today * minutes_per_day) : 0);
    if (!minute) {
        day = day_from(pattern, today + 1);
        if (!day) return std::nullopt;
        minute = minute_from(pattern, 0);
    }
    return (*day * minutes_per_day + *minute) * 60;
}

model::WallPattern pattern_of(const model::Daily& daily) {
    return {std::uint64_t{1} << daily.time.minute, std::uint32_t{1} << daily.time.hour, every_day, every_month,
            every_weekday};
}

model::WallPattern pattern_of(const model::Weekly& weekly) {
    model::WallPattern pattern = pattern_of(model::Daily{weekly.time});
    pattern.weekdays = weekly.weekdays;
    return pattern;
}

}  // namespace belfry::rules
