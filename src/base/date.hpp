#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

// Dates of the Gregorian calendar, which is taken to reach back for ever. A day is counted from 1970-01-01, which is 0.
namespace belfry::base {

inline constexpr std::int64_t seconds_per_day = 86'400;

struct Date {
    std::int64_t year = 1970;
    unsigned month = 1;
    unsigned day = 1;

    auto operator<=>(const Date&) const = default;
};

// Rounds down, also below zero.
constexpr std::int64_t floor_divide(std::int64_t number, std::int64_t by) {
    return number >= 0 ? number / by : -((by - 1 - number) / by);
}

// By counting from 1 March, so that the leap day comes last.
constexpr std::int64_t days_from_date(Date date) {
    const std::int64_t y = date.month <= 2 ? date.year - 1 : date.year;
    const std::int64_t era = floor_divide(y, 400);
    const std::int64_t year_of_era = y - era * 400;
    const std::int64_t month_from_march = (date.month + 9) % 12;
    const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
    const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + day_of_era - 719'468;
}

constexpr Date date_from_days(std::int64_t days) {
    days += 719'468;
    const std::int64_t era = floor_divide(days, 146'097);
    const std::int64_t day_of_era = days - era * 146'097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const auto day = static_cast<unsigned>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    const auto month = static_cast<unsigned>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr bool is_leap(std::int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

constexpr unsigned days_in_month(std::int64_t year, unsigned month) {
    constexpr std::array<unsigned, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

// 0 is Sunday.
constexpr unsigned weekday_of(std::int64_t days) {
    return static_cast<unsigned>(days + 4 - floor_divide(days + 4, 7) * 7);
}

// 2026-03-29: four digits of the year, a month and a day that it has.
std::optional<Date> parse_date(std::string_view text);

// The first second that cannot be written any more: that of the year 10000.
inline constexpr std::int64_t seconds_end = days_from_date({10'000, 1, 1}) * seconds_per_day;

// The instant as a clock shows it that is so far ahead of UTC, with the offset: 2026-03-29T03:00:00+02:00. Seconds of
// the offset are written only where there are some, which RFC 3339 does not know: -00:44:30.
std::string format_local(Timestamp time, std::int32_t offset_s);

}  // namespace belfry::base
