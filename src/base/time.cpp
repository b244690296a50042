#include "base/time.hpp"

#include <array>
#include <charconv>
#include <limits>

#include "base/date.hpp"

namespace belfry::base {
namespace {

constexpr std::int64_t us_per_second = 1'000'000;

void put_digits(char* at, std::int64_t value, int width) {
    for (int i = width - 1; i >= 0; --i) {
        at[i] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
}

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

// Z, or +hh:mm / -hh:mm, as seconds to subtract.
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
    if (!take_digits(text, at, 2, hour) || !take_char(text, at, ':') || !take_digits(text, at, 2, minute)) return false;
    if (hour > 23 || minute > 59) return false;
    seconds = (hour * 60 + minute) * 60 * (sign == '-' ? -1 : 1);
    return true;
}

}  // namespace

void append_timestamp(std::string& out, Timestamp time) {
    const std::int64_t second = floor_divide(time.us, us_per_second);
    const std::int64_t fraction = time.us - second * us_per_second;
    const std::int64_t day = floor_divide(second, seconds_per_day);
    const std::int64_t of_day = second - day * seconds_per_day;
    const Date date = date_from_days(day);

    std::array<char, 27> text{};
    char* at = text.data();
    put_digits(at, date.year, 4);
    at[4] = '-';
    put_digits(at + 5, date.month, 2);
    at[7] = '-';
    put_digits(at + 8, date.day, 2);
    at[10] = 'T';
    put_digits(at + 11, of_day / 3600, 2);
    at[13] = ':';
    put_digits(at + 14, of_day / 60 % 60, 2);
    at[16] = ':';
    put_digits(at + 17, of_day % 60, 2);
    at += 19;
    if (fraction != 0) {
        *at++ = '.';
        const bool whole_ms = fraction % 1000 == 0;
        put_digits(at, whole_ms ? fraction / 1000 : fraction, whole_ms ? 3 : 6);
        at += whole_ms ? 3 : 6;
    }
    *at++ = 'Z';
    out.append(text.data(), static_cast<std::size_t>(at - text.data()));
}

std::string format_timestamp(Timestamp time) {
    std::string out;
    append_timestamp(out, time);
    return out;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    std::size_t at = 0;
    std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, us = 0, offset = 0;
    if (!take_digits(text, at, 4, year) || !take_char(text, at, '-') || !take_digits(text, at, 2, month) ||
        !take_char(text, at, '-') || !take_digits(text, at, 2, day)) {
        return std::nullopt;
    }
    if (at >= text.size() || (text[at] != 'T' && text[at] != 't' && text[at] != ' ')) return std::nullopt;
    ++at;
    if (!take_digits(text, at, 2, hour) || !take_char(text, at, ':') || !take_digits(text, at, 2, minute) ||
        !take_char(text, at, ':') || !take_digits(text, at, 2, second)) {
        return std::nullopt;
    }
    if (take_char(text, at, '.') && !take_fraction(text, at, us)) return std::nullopt;
    if (!take_offset(text, at, offset) || at != text.size()) return std::nullopt;
    if (year < 1970 || month < 1 || month > 12 || day < 1) return std::nullopt;
    if (day > days_in_month(year, static_cast<unsigned>(month))) return std::nullopt;
    // A leap second is read as the last second before it: clocks that know it are rare, and order must not suffer.
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
    if (second == 60) second = 59;

    const std::int64_t days = days_from_date({year, static_cast<unsigned>(month), static_cast<unsigned>(day)});
    const Timestamp time{(days * seconds_per_day + hour * 3600 + minute * 60 + second - offset) * us_per_second + us};
    // An offset may lead out of the years that can be written.
    if (time.us < 0 || time.us >= seconds_end * us_per_second) return std::nullopt;
    return time;
}

std::optional<Duration> parse_duration(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || number < 0) return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    std::int64_t scale = 0;
    if (unit == "ms") scale = 1000;
    else if (unit == "s" || unit.empty()) scale = us_per_second;
    else if (unit == "m") scale = 60 * us_per_second;
    else if (unit == "h") scale = 3600 * us_per_second;
    else if (unit == "d") scale = seconds_per_day * us_per_second;
    else return std::nullopt;
    if (number > std::numeric_limits<std::int64_t>::max() / scale) return std::nullopt;
    return Duration{number * scale};
}

std::string format_duration(Duration duration) {
    struct Unit {
        std::int64_t us;
        const char* name;
    };
    constexpr std::array<Unit, 4> units{{{seconds_per_day * us_per_second, "d"},
                                         {3600 * us_per_second, "h"},
                                         {60 * us_per_second, "m"},
                                         {us_per_second, "s"}}};
    for (const Unit& unit : units) {
        if (duration.us != 0 && duration.us % unit.us == 0) return std::to_string(duration.us / unit.us) + unit.name;
    }
    return std::to_string(duration.us / 1000) + "ms";
}

}  // namespace belfry::base
