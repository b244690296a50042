#include "cli/local_clock.hpp"

#include <algorithm>
#include <array>

#include "base/date.hpp"
#include "cli/timer_schedule.hpp"
#include "host/zones.hpp"
#include "rules/schedule.hpp"
#include "rules/wall_clock.hpp"

namespace belfry::cli {
namespace {

std::int64_t seconds_of(base::Timestamp time) {
    return base::floor_divide(time.us, base::seconds(1).us);
}

std::int64_t seconds_of(model::WallTime time) {
    return (static_cast<std::int64_t>(time.hour) * 60 + time.minute) * 60;
}

std::optional<base::Timestamp> midnight_in_utc(std::string_view date) {
    if (!base::parse_date(date)) return std::nullopt;
    return base::parse_timestamp(std::string(date) + "T00:00:00Z");
}

base::Error not_a(std::string_view name, std::string_view form, const std::string& text) {
    return wrong(std::string(name) + " must be " + std::string(form) + ", not \"" + text + '"');
}

}  // namespace

bool is_date(std::string_view text) {
    return midnight_in_utc(text).has_value();
}

base::Result<LocalClock> LocalClock::of(Context& context, const Arguments& arguments) {
    host::SystemZones zones(context.environment);
    const host::MachineZone choice = choose_zone(context, arguments, zones);
    auto zone = zones.find(choice.name);
    if (!zone.ok()) return wrong(choice.said_by + ": " + zone.error().message);
    return LocalClock(std::move(zone).value(), context.now());
}

std::string LocalClock::wall_text(base::Timestamp time) const {
    const std::int32_t offset_s = rules::stretch_at(*zone_, seconds_of(time)).offset_s;
    return base::format_timestamp({base::seconds(seconds_of(time) + offset_s).us});
}

std::string LocalClock::date_of(base::Timestamp time) const {
    return wall_text(time).substr(0, 10);
}

std::string LocalClock::time_of(base::Timestamp time) const {
    return wall_text(time).substr(11, 5);
}

std::string LocalClock::shown(base::Timestamp time) const {
    return date_of(time) + ' ' + time_of(time);
}

base::Timestamp LocalClock::instant(const std::string& date, std::int64_t seconds) const {
    const std::int64_t wall_s = seconds_of(midnight_in_utc(date).value_or(base::Timestamp{})) + seconds;
    return {base::seconds(rules::when_shown(*zone_, wall_s).instant_s).us};
}

base::Result<std::string> LocalClock::read_date(std::string_view name, const std::string& text) const {
    constexpr std::array<std::string_view, 3> near{"yesterday", "today", "tomorrow"};
    const auto word = std::ranges::find(near, text);
    if (word != near.end()) {
        const base::Timestamp midnight = *midnight_in_utc(today());
        return base::format_timestamp(midnight + base::days(word - near.begin() - 1)).substr(0, 10);
    }
    if (is_date(text)) return text;
    return not_a(name, "a date such as 2026-11-16, or yesterday, today or tomorrow", text);
}

base::Result<base::Timestamp> LocalClock::read_moment(std::string_view name, const std::string& text,
                                                      const std::string& date) const {
    if (const auto instant_meant = base::parse_timestamp(text)) return *instant_meant;
    const auto time = rules::parse_wall_time(text);
    if (!time.ok()) return not_a(name, "a time such as 09:00, or 2026-11-16T09:00:00Z", text);
    return instant(date, seconds_of(*time));
}

base::Result<Span> LocalClock::read_span(std::string_view name, const std::string& text,
                                         const std::string& date) const {
    const std::size_t dash = text.find('-');
    const auto from = rules::parse_wall_time(std::string_view(text).substr(0, dash));
    const auto to = rules::parse_wall_time(dash == std::string::npos ? "" : std::string_view(text).substr(dash + 1));
    if (!from.ok() || !to.ok() || *from == *to) return not_a(name, "a stretch of a day such as 09:00-11:00", text);
    const std::int64_t from_s = seconds_of(*from);
    const std::int64_t to_s = seconds_of(*to) + (seconds_of(*to) < from_s ? base::seconds_per_day : 0);
    return Span{instant(date, from_s), instant(date, to_s)};
}

}  // namespace belfry::cli
