#include "base/date.hpp"

namespace belfry::base {
namespace {

void append_two_digits(std::string& out, std::int32_t value) {
    out += static_cast<char>('0' + value / 10 % 10);
    out += static_cast<char>('0' + value % 10);
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto number = [text](std::size_t first, std::size_t count) -> std::optional<unsigned> {
        unsigned value = 0;
        for (const char digit : text.substr(first, count)) {
            if (digit < '0' || digit > '9') return std::nullopt;
            value = value * 10 + static_cast<unsigned>(digit - '0');
        }
        return value;
    };
    const auto year = number(0, 4);
    const auto month = number(5, 2);
    const auto day = number(8, 2);
    if (!year || !month || !day || *month < 1 || *month > 12) return std::nullopt;
    if (*day < 1 || *day > days_in_month(*year, *month)) return std::nullopt;
    return Date{*year, *month, *day};
}

std::string format_local(Timestamp time, std::int32_t offset_s) {
    std::string out = format_timestamp(time + seconds(offset_s));
    out.back() = offset_s < 0 ? '-' : '+';
    const std::int32_t distance_s = offset_s < 0 ? -offset_s : offset_s;
    append_two_digits(out, distance_s / 3600);
    out += ':';
    append_two_digits(out, distance_s / 60 % 60);
    if (distance_s % 60 != 0) {
        out += ':';
        append_two_digits(out, distance_s % 60);
    }
    return out;
}

}  // namespace belfry::base
