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
