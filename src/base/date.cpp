#include "base/date.hpp"

namespace belfry::base {
namespace {

void append_two_digits(std::string& out, std::int32_t value) {
    out += static_cast<char>('0' + value / 10 % 10);
    out += static_cast<char>('0' + value % 10);
}

}  // namespace

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
