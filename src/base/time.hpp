#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belfry::base {

// A span of time. Units are named where a number becomes one (`seconds(5)`), so that none has to be guessed.
struct Duration {
    std::int64_t us = 0;

    auto operator<=>(const Duration&) const = default;
    constexpr Duration operator+(Duration other) const { return {us + other.us}; }
    constexpr Duration operator-(Duration other) const { return {us - other.us}; }
    constexpr Duration operator*(std::int64_t factor) const { return {us * factor}; }
};

constexpr Duration microseconds(std::int64_t n) {
    return {n};
}
constexpr Duration milliseconds(std::int64_t n) {
    return {n * 1000};
}
constexpr Duration seconds(std::int64_t n) {
    return {n * 1000 * 1000};
}
constexpr Duration minutes(std::int64_t n) {
    return seconds(n * 60);
}
constexpr Duration hours(std::int64_t n) {
    return minutes(n * 60);
}
constexpr Duration days(std::int64_t n) {
    return hours(n * 24);
}

// An instant: microseconds since 1970-01-01T00:00:00Z. Everything that is stored or decided uses UTC; zones exist only
// where a person's intent is read.
struct Timestamp {
    std::int64_t us = 0;

    auto operator<=>(const Timestamp&) const = default;
    constexpr Timestamp operator+(Duration d) const { return {us + d.us}; }
    constexpr Timestamp operator-(Duration d) const { return {us - d.us}; }
    constexpr Duration operator-(Timestamp other) const { return {us - other.us}; }
    [[nodiscard]] constexpr std::int64_t ms() const { return us / 1000; }
};

// RFC 3339 with a `T`, in UTC, with as many digits of the second as are needed: none, three or six.
std::string format_timestamp(Timestamp time);
// The same, appended; the hot path has no use for a fresh string.
void append_timestamp(std::string& out, Timestamp time);

// ISO 8601 with an offset (see iso_time.hpp), from 1970 to the year 9999. Returns nothing for all other texts.
std::optional<Timestamp> parse_timestamp(std::string_view text);

// "90s", "15m", "24h", "30d", "500ms" or a bare number of seconds. Nothing for anything else or below zero.
std::optional<Duration> parse_duration(std::string_view text);
std::string format_duration(Duration duration);

}  // namespace belfry::base
