#include "text/jinja/strftime.hpp"

#include <array>
#include <chrono>

namespace belfry::text::jinja {
namespace {

constexpr std::array<std::string_view, 7> days{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                               "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};

void append_padded(std::string& out, long long value, std::size_t width, char fill = '0') {
    std::string digits = std::to_string(value);
    if (digits.size() < width) out.append(width - digits.size(), fill);
    out += digits;
}

struct Parts {
    std::chrono::year_month_day date;
    unsigned weekday;
    long long second_of_day;
    long long micros;
    long long day_of_year;
};

Parts parts_of(base::Timestamp time) {
    using namespace std::chrono;
    const auto since = microseconds(time.us);
    const auto day = floor<std::chrono::days>(since);
    const sys_days date{day};
    const year_month_day ymd{date};
    const auto rest = since - day;
    const auto seconds_of_day = floor<std::chrono::seconds>(rest);
    return {ymd, weekday{date}.c_encoding(), seconds_of_day.count(), (rest - seconds_of_day).count(),
            (date - sys_days{ymd.year() / January / 1}).count() + 1};
}

void append_part(std::string& out, const Parts& p, base::Timestamp time, char kind) {
    const long long hour = p.second_of_day / 3600;
    const auto month = static_cast<unsigned>(p.date.month());
    switch (kind) {
        case 'Y': append_padded(out, static_cast<int>(p.date.year()), 4); return;
        case 'y': append_padded(out, static_cast<int>(p.date.year()) % 100, 2); return;
        case 'm': append_padded(out, month, 2); return;
        case 'd': append_padded(out, static_cast<unsigned>(p.date.day()), 2); return;
        case 'e': append_padded(out, static_cast<unsigned>(p.date.day()), 2, ' '); return;
        case 'H': append_padded(out, hour, 2); return;
        case 'I': append_padded(out, (hour + 11) % 12 + 1, 2); return;
        case 'M': append_padded(out, p.second_of_day / 60 % 60, 2); return;
        case 'S': append_padded(out, p.second_of_day % 60, 2); return;
        case 'f': append_padded(out, p.micros, 6); return;
        case 'j': append_padded(out, p.day_of_year, 3); return;
        case 'p': out += hour < 12 ? "AM" : "PM"; return;
        case 'a': out += days[p.weekday].substr(0, 3); return;
        case 'A': out += days[p.weekday]; return;
        case 'b': out += months[month - 1].substr(0, 3); return;
        case 'B': out += months[month - 1]; return;
        case 'F': append_strftime(out, time, "%Y-%m-%d"); return;
        case 'T': append_strftime(out, time, "%H:%M:%S"); return;
        case 'z': out += "+0000"; return;
        case 'Z': out += "UTC"; return;
        case 's': append_padded(out, (time.us - (time.us % 1'000'000 + 1'000'000) % 1'000'000) / 1'000'000, 1); return;
        case '%': out += '%'; return;
        default: out += '%'; out += kind;
    }
}

}  // namespace

void append_strftime(std::string& out, base::Timestamp time, std::string_view format) {
    const Parts parts = parts_of(time);
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 == format.size()) {
            out += format[i];
        } else {
            append_part(out, parts, time, format[++i]);
        }
    }
}

}  // namespace belfry::text::jinja
