#include "base/iso_time.hpp"

#include "base/date.hpp"

namespace belfry::base {
namespace {

constexpr std::int64_t us_per_second = 1'000'000;

// Reads exactly `width` digits at `at` and moves past them.
bool take_digits(std::string_view text, std::size_t& at, std::size_t width, std::int64_t& out) {
    if (at + width > text.size()) return false;
    out = 0;
    for (std::size_t i = 0; i < width; ++i) {
        const char c = text[at + i];
        if (c < '0' || c > '9') return false;
        out = out * 10 + (c - '0');
    }
    at += width;
    return true;
}

bool take_char(std::string_view text, std::size_t& at, char wanted) {
    if (at >= text.size() || text[at] != wanted) return false;
    ++at;
    return true;
}

// The fraction after the dot, as microseconds; further digits are read and cut.
bool take_fraction(std::string_view text, std::size_t& at, std::int64_t& us) {
    us = 0;
    const std::size_t start = at;
    std::int64_t unit = 100'000;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
        us += (text[at] - '0') * unit;
        unit /= 10;
        ++at;
    }
    return at > start;
}

bool is_at(std::string_view text, std::size_t at, char wanted) {
    return at < text.size() && text[at] == wanted;
}

bool is_digit_at(std::string_view text, std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

std::size_t count_digits(std::string_view text, std::size_t at) {
    std::size_t count = 0;
    while (is_digit_at(text, at + count)) ++count;
    return count;
}

// Z, or +hh, +hhmm, +hh:mm and the same with a minus, as seconds to subtract.
bool take_offset(std::string_view text, std::size_t& at, std::int64_t& seconds) {
    if (at >= text.size()) return false;
    const char sign = text[at++];
    if (sign == 'Z' || sign == 'z') {
        seconds = 0;
        return true;
    }
    std::int64_t hour = 0;
    std::int64_t minute = 0;
    if (sign != '+' && sign != '-') return false;
    if (!take_digits(text, at, 2, hour)) return false;
    const bool has_minutes = take_char(text, at, ':') || is_digit_at(text, at);
    if (has_minutes && !take_digits(text, at, 2, minute)) return false;
    if (hour > 23 || minute > 59) return false;
    seconds = (hour * 60 + minute) * 60 * (sign == '-' ? -1 : 1);
    return true;
}

// Www-D or WwwD after the year. The first week is the one with 4 January; a week begins on Monday.
std::optional<std::int64_t> take_week_date(std::string_view text, std::size_t& at, std::int64_t year, bool extended) {
    std::int64_t week = 0;
    std::int64_t day = 0;
    ++at;  // the W
    if (!take_digits(text, at, 2, week) || (extended && !take_char(text, at, '-')) || !take_digits(text, at, 1, day)) {
        return std::nullopt;
    }
    const auto monday_of_first_week = [](std::int64_t of) {
        const std::int64_t fourth = days_from_date({of, 1, 4});
        return fourth - (weekday_of(fourth) + 6) % 7;
    };
    const std::int64_t weeks = (monday_of_first_week(year + 1) - monday_of_first_week(year)) / 7;
    if (week < 1 || week > weeks || day < 1 || day > 7) return std::nullopt;
    return monday_of_first_week(year) + (week - 1) * 7 + day - 1;
}

// The date up to the T, as days.
std::optional<std::int64_t> take_date(std::string_view text, std::size_t& at) {
    std::int64_t year = 0;
    std::int64_t month = 0;
    std::int64_t day = 0;
    if (!take_digits(text, at, 4, year) || year < 1) return std::nullopt;
    const bool extended = take_char(text, at, '-');
    if (is_at(text, at, 'W')) return take_week_date(text, at, year, extended);
    if (count_digits(text, at) == 3) {
        if (!take_digits(text, at, 3, day) || day < 1 || day > (is_leap(year) ? 366 : 365)) return std::nullopt;
        return days_from_date({year, 1, 1}) + day - 1;
    }
    if (!take_digits(text, at, 2, month) || (extended && !take_char(text, at, '-')) || !take_digits(text, at, 2, day)) {
        return std::nullopt;
    }
    if (month < 1 || month > 12 || day < 1) return std::nullopt;
    if (day > days_in_month(year, static_cast<unsigned>(month))) return std::nullopt;
    return days_from_date({year, static_cast<unsigned>(month), static_cast<unsigned>(day)});
}

// hh[:mm[:ss[.f]]] or hh[mm[ss[.f]]], a comma for the dot, as microseconds of the day.
std::optional<std::int64_t> take_time_of_day(std::string_view text, std::size_t& at) {
    std::int64_t hour = 0, minute = 0, second = 0, us = 0;
    if (!take_digits(text, at, 2, hour)) return std::nullopt;
    const bool extended = is_at(text, at, ':');
    const auto goes_on = [&] { return extended ? take_char(text, at, ':') : is_digit_at(text, at); };
    if (goes_on()) {
        if (!take_digits(text, at, 2, minute)) return std::nullopt;
        if (goes_on()) {
            if (!take_digits(text, at, 2, second)) return std::nullopt;
            const bool has_fraction = take_char(text, at, '.') || take_char(text, at, ',');
            if (has_fraction && !take_fraction(text, at, us)) return std::nullopt;
        }
    }
    // 24:00:00 is the midnight at the end of the day.
    const bool is_end_of_day = hour == 24 && minute == 0 && second == 0 && us == 0;
    if ((hour > 23 && !is_end_of_day) || minute > 59 || second > 60) return std::nullopt;
    // A leap second is read as the last second before it: clocks that know it are rare, and order must not suffer.
    if (second == 60) second = 59;
    return (hour * 3600 + minute * 60 + second) * us_per_second + us;
}

}  // namespace

std::optional<Timestamp> parse_timestamp_from(Timestamp earliest, std::string_view text) {
    std::size_t at = 0;
    const std::optional<std::int64_t> days = take_date(text, at);
    if (!days || (!is_at(text, at, 'T') && !is_at(text, at, 't') && !is_at(text, at, ' '))) return std::nullopt;
    ++at;
    const std::optional<std::int64_t> us_of_day = take_time_of_day(text, at);
    std::int64_t offset = 0;
    if (!us_of_day || !take_offset(text, at, offset) || at != text.size()) return std::nullopt;
    const Timestamp time{(*days * seconds_per_day - offset) * us_per_second + *us_of_day};
    // An offset may lead out of the years that can be written.
    if (time < earliest || time.us >= seconds_end * us_per_second) return std::nullopt;
    return time;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    return parse_timestamp_from({}, text);
}

bool is_rfc3339(std::string_view text) {
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
    if (text.size() <= form.size() || !parse_timestamp(text)) return false;
    for (const std::size_t at : {std::size_t{4}, std::size_t{7}, std::size_t{13}, std::size_t{16}}) {
        if (text[at] != form[at]) return false;
    }
    if (text.substr(11, 2) == "24" || text.find(',') != std::string_view::npos) return false;
    const char last = text.back();
    return last == 'Z' || last == 'z' || text[text.size() - 3] == ':';
}

}  // namespace belfry::base
